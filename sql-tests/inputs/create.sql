-- Creating transactional tables in Hive's spelling, and like others.

CREATE TRANSACTIONAL TABLE t (id INT COMMENT 'the key', name STRING, c CHAR(3)) COMMENT 'of TRANSACTIONAL rows';
INSERT INTO t VALUES (1, 'one', 'a'), (2, 'two', 'b');
--FILES t
DELETE FROM t WHERE id = 1;
SELECT * FROM t;
SHOW TBLPROPERTIES t ('transactional');
DESCRIBE t;

-- every clause; the property may be there already
CREATE TRANSACTIONAL TABLE IF NOT EXISTS t (id INT);
CREATE TRANSACTIONAL TABLE p (id INT) PARTITIONED BY (d DATE COMMENT 'the day', k STRING) STORED AS ORC TBLPROPERTIES ('orc.compress' = 'SNAPPY', 'TRANSACTIONAL' = 'TRUE');
INSERT INTO p VALUES (1, DATE'2024-01-01', 'x');
--FILES p
UPDATE p SET id = 2;
SELECT * FROM p;
CREATE TRANSACTIONAL TABLE b (id INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
SELECT * FROM b;
create /* TRANSACTIONAL */ transactional -- TRANSACTIONAL
  table transactional (transactional INT);
INSERT INTO transactional VALUES (1);
UPDATE transactional SET transactional = 2;
SELECT * FROM transactional;
CREATE TRANSACTIONAL TABLE IDENTIFIER('named') (id INT);
UPDATE named SET id = 1;

-- AS SELECT, LIKE, in a script, in EXECUTE IMMEDIATE, explained
CREATE TRANSACTIONAL TABLE s PARTITIONED BY (name) AS WITH q AS (SELECT id, name FROM t) SELECT id, name FROM q;
UPDATE s SET id = 3 WHERE name = 'two';
SELECT * FROM s;
CREATE TRANSACTIONAL TABLE l LIKE p;
UPDATE l SET id = 1;
DESCRIBE l;
--QUERY-DELIMITER-START
BEGIN
  CREATE TRANSACTIONAL TABLE one (id INT);
  CREATE TABLE plain (id INT) STORED AS ORC;
  CREATE TRANSACTIONAL TABLE two (id INT);
  INSERT INTO one VALUES (1);
  IF (SELECT count(*) FROM one) = 1 THEN
    CREATE TRANSACTIONAL TABLE six AS SELECT id + 5 AS six FROM one;
  END IF;
END;
--QUERY-DELIMITER-END
SHOW TBLPROPERTIES one ('transactional');
SHOW TBLPROPERTIES plain ('transactional');
SHOW TBLPROPERTIES two ('transactional');
UPDATE six SET six = six * 10;
SELECT * FROM six;
--QUERY-DELIMITER-START
BEGIN
  MERGE INTO t USING one ON t.id = one.id WHEN NOT MATCHED THEN INSERT VALUES (one.id, 'merged', 'm');
  CREATE TRANSACTIONAL TABLE three (id INT);
  UPDATE three SET id = 1;
END;
--QUERY-DELIMITER-END
SELECT id, name FROM t ORDER BY id;
EXECUTE IMMEDIATE 'CREATE TRANSACTIONAL TABLE four (id INT)';
EXECUTE IMMEDIATE 'CREATE TRANSACTIONAL TABLE seven AS SELECT :a AS id' USING 'a parameter' AS a;
UPDATE seven SET id = upper(id);
SELECT * FROM seven;
UPDATE four SET id = 1;
EXPLAIN CREATE TRANSACTIONAL TABLE five (id INT);
SHOW TABLES LIKE 'f*';

-- what is refused by name, and errors of Spark's own at the user's place
CREATE TRANSACTIONAL TABLE no (id INT) TBLPROPERTIES ('transactional' = 'false');
CREATE TRANSACTIONAL TABLE no (id INT) USING orc;
CREATE TRANSACTIONAL TABLE no (id INT) STORED AS PARQUET;
CREATE TRANSACTIONAL TABLE no (id INT) ROW FORMAT DELIMITED;
CREATE TRANSACTIONAL TABLE no STORED AS TEXTFILE AS SELECT 1 AS id;
CREATE TRANSACTIONAL TABLE t (id INT);
CREATE TRANSACTIONAL TABLE no (id INT, unknown NOTYPE);
CREATE TRANSACTIONAL TABLE no AS SELECT unknown FROM t;
CREATE TRANSACTIONAL VIEW no AS SELECT 1;
CREATE `TRANSACTIONAL` TABLE no (id INT);
CREATE TRANSACTIONAL TABLE;
CREATE OR REPLACE TRANSACTIONAL TABLE no (id INT);
SHOW TABLES LIKE 'no';

-- LIKE copies columns, partition columns, buckets and comments of columns; not properties, as in Hive: without the
-- property the table is a plain one
CREATE TABLE copy LIKE t;
SHOW TBLPROPERTIES copy ('transactional');
CREATE TABLE lt LIKE t TBLPROPERTIES ('transactional' = 'true');
INSERT INTO lt SELECT id, name, 'lt' FROM t;
UPDATE lt SET name = 'like' WHERE id = 2;
SELECT * FROM lt ORDER BY id;
DESCRIBE lt;
CREATE TABLE IF NOT EXISTS lt LIKE p TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE lt LIKE p TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE lp LIKE p STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'mine' = 'yes');
INSERT INTO lp SELECT * FROM p;
--FILES lp
DELETE FROM lp WHERE k = 'y';
SELECT * FROM lp;
SHOW TBLPROPERTIES lp ('mine');
SHOW TBLPROPERTIES lp ('orc.compress');
CREATE TABLE text_file (id INT, d DATE) STORED AS TEXTFILE;
CREATE TABLE of_text LIKE text_file STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
UPDATE of_text SET id = 1;
CREATE TEMP VIEW v AS SELECT id, name FROM t;
CREATE TABLE of_view LIKE v STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO of_view SELECT * FROM v;
SELECT count(*) FROM of_view;
CREATE TABLE source (id INT) USING parquet;
CREATE TABLE of_source LIKE source STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
UPDATE of_source SET id = 1;
CREATE TABLE no LIKE text_file TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE no LIKE source TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE no LIKE v TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE no LIKE t USING orc TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE no LIKE t STORED AS PARQUET TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE no LIKE nowhere TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE insert_only LIKE t STORED AS PARQUET TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');
INSERT INTO insert_only SELECT * FROM t;
DELETE FROM insert_only;
CREATE TRANSACTIONAL TABLE no LIKE text_file;
CREATE TRANSACTIONAL TABLE no LIKE t TBLPROPERTIES ('transactional' = 'no');
SHOW TABLES LIKE 'no';
