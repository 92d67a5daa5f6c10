-- What is not supported on a transactional table is refused by name and changes nothing;
-- other tables behave as if the extension was not there.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE p (id INT) PARTITIONED BY (k STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE b (id INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'bucketing_version' = '3');

CREATE TABLE plain (id INT, name STRING) STORED AS ORC;

CREATE TABLE plain_p (id INT) PARTITIONED BY (k STRING) STORED AS ORC;

INSERT INTO t VALUES (1, 'one'), (2, 'two');

-- through a view

CREATE VIEW v AS SELECT id, name FROM t;

DELETE FROM v WHERE id = 1;

UPDATE v SET name = 'x';

MERGE INTO v USING plain ON v.id = plain.id WHEN MATCHED THEN DELETE;

INSERT INTO v VALUES (1, 'x');

-- overwriting

INSERT OVERWRITE b VALUES (9);

INSERT OVERWRITE TABLE v SELECT * FROM plain;

FROM plain INSERT INTO t SELECT id, name INSERT INTO plain SELECT id, upper(name);

TRUNCATE TABLE v;

LOAD DATA INPATH '/nowhere' INTO TABLE t;

-- creating with rows

CREATE TABLE ctas USING orc TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS id;

CREATE TABLE IF NOT EXISTS t STORED AS ORC AS SELECT 1 AS id;

REPLACE TABLE t (id INT) USING orc;

CREATE OR REPLACE TABLE t USING orc AS SELECT 1 AS id;

CREATE OR REPLACE TABLE IDENTIFIER('t' || '') USING noop AS SELECT 1 AS id;

SHOW TABLES LIKE 'ctas';

-- other kinds of transactional tables

CREATE TABLE insert_only (id INT) STORED AS TEXTFILE TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');

SELECT * FROM insert_only;

INSERT INTO insert_only VALUES (1);

DELETE FROM insert_only;

CREATE TABLE text_file (id INT) STORED AS TEXTFILE TBLPROPERTIES ('transactional' = 'true');

SELECT * FROM text_file;

-- where a new row belongs is not known; what places none is done

INSERT INTO b VALUES (1);

UPDATE b SET id = 2 WHERE id = 1;

DELETE FROM b WHERE id = 1;

TRUNCATE TABLE b;

SELECT * FROM b;

-- partitions and layout

ALTER TABLE p RECOVER PARTITIONS;

MSCK REPAIR TABLE p;

SHOW PARTITIONS p;

ALTER TABLE t SET LOCATION '/tmp/elsewhere';

ALTER TABLE t SET SERDE 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe';

ALTER TABLE t SET TBLPROPERTIES ('transactional' = 'false');

ALTER TABLE t UNSET TBLPROPERTIES ('transactional');

ALTER TABLE t UNSET TBLPROPERTIES ('transactional_properties');

ALTER TABLE t SET TBLPROPERTIES ('transactional_properties' = 'insert_only');

ALTER TABLE t SET TBLPROPERTIES ('bucketing_version' = '1', 'note' = 'x');

ALTER TABLE t SET TBLPROPERTIES ('storage_handler' = 'org.example.Handler');

-- columns

ALTER TABLE t REPLACE COLUMNS (id INT);

ALTER TABLE t DROP COLUMN name;

-- other versions of the table, and values of partitions without rows

SELECT * FROM t VERSION AS OF 1;

SELECT * FROM t TIMESTAMP AS OF '2020-01-01';

SET spark.sql.optimizer.metadataOnly = true;

SELECT max(k) FROM p;

SET spark.sql.optimizer.metadataOnly = false;

SELECT max(k) FROM p;

-- a plain table that Spark wrote cannot become transactional: the metastore refuses the names of its files

CREATE TABLE converted (id INT) STORED AS ORC;

INSERT INTO converted VALUES (1);

ALTER TABLE converted SET TBLPROPERTIES ('transactional' = 'true');

SELECT * FROM converted;

-- an empty one can; its write IDs begin above those that originals would have

CREATE TABLE converted_empty (id INT) STORED AS ORC;

ALTER TABLE converted_empty SET TBLPROPERTIES ('transactional' = 'true');

--FILES converted_empty
INSERT INTO converted_empty VALUES (1);

SELECT ROW__ID.writeid AS w, id FROM converted_empty;

-- new columns are NULL in old rows; a new name keeps rows and write IDs

CREATE TABLE old_name (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO old_name VALUES (1);

ALTER TABLE old_name ADD COLUMNS (name STRING);

INSERT INTO old_name VALUES (2, 'two');

SELECT * FROM old_name;

ALTER TABLE old_name RENAME TO new_name;

DELETE FROM new_name WHERE name IS NULL;

SELECT * FROM new_name;

SELECT * FROM old_name;

-- the other spelling of ORC

CREATE TABLE by_using (id INT) USING orc TBLPROPERTIES ('transactional' = 'true');

INSERT INTO by_using VALUES (1);

SELECT * FROM by_using;

-- statistics and caches

ANALYZE TABLE t COMPUTE STATISTICS;

CACHE TABLE t;

SELECT * FROM t;

DELETE FROM t WHERE id = 2;

SELECT * FROM t;

UNCACHE TABLE t;

-- nothing of all this changed the table

--FILES t
SELECT * FROM t;

-- plain tables

INSERT INTO plain VALUES (1, 'one'), (2, 'two');

INSERT OVERWRITE plain SELECT id + 10, name FROM t;

SELECT * FROM plain;

INSERT INTO plain SELECT * FROM t;

SELECT * FROM plain;

INSERT INTO plain_p PARTITION (k = 'a') SELECT id FROM t;

ALTER TABLE plain_p ADD PARTITION (k = 'b');

SELECT * FROM plain_p;

SHOW PARTITIONS plain_p;

DELETE FROM plain WHERE id = 1;

UPDATE plain SET name = 'x';

MERGE INTO plain USING t ON t.id = plain.id WHEN MATCHED THEN DELETE;

CREATE VIEW plain_view AS SELECT id FROM plain;

DELETE FROM plain_view WHERE id = 1;

CREATE TABLE copy STORED AS ORC AS SELECT * FROM t;

SELECT * FROM copy;

TRUNCATE TABLE plain;

SELECT * FROM plain;

-- dropping

DROP TABLE t;

SELECT * FROM t;
