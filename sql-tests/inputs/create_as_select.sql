-- CREATE TABLE … AS SELECT of a transactional table.

CREATE TABLE src (id INT, name STRING, price DECIMAL(6,2)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO src VALUES (1, 'one', 1.10), (2, 'two', 2.20), (3, NULL, NULL);

CREATE TABLE t STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT id * 10 AS ten, name, price FROM src WHERE id < 3;
--FILES t
SELECT ROW__ID, * FROM t ORDER BY ten;
UPDATE t SET name = upper(name) WHERE ten = 20;
SELECT * FROM t ORDER BY ten;
DESCRIBE t;

-- partitioned, by name: partition columns go last
CREATE TABLE p PARTITIONED BY (name) STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT name, id, CAST('x' AS CHAR(3)) AS c FROM src;
SELECT * FROM p ORDER BY id;
DESCRIBE p;

-- without rows
CREATE TABLE empty STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT * FROM src WHERE false;
SELECT count(*) FROM empty;
INSERT INTO empty VALUES (1, 'x', 1);

-- it is there already
CREATE TABLE t STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS id;
SELECT count(*) FROM t;

-- a query that fails leaves no table, nor do tables that could not be written
CREATE TABLE failed STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT id, if(id = 3, raise_error('no'), name) AS e FROM src;
CREATE TABLE failed STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT id AS a, id AS A FROM src;
CREATE TABLE failed STORED AS TEXTFILE TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only') AS SELECT 1 AS id;
CREATE TABLE failed STORED AS PARQUET TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS id;
CREATE TABLE failed PARTITIONED BY (d) STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS id, X'01' AS d;
CREATE TABLE failed USING orc TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS id;
EXPLAIN CREATE TABLE failed STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS id;
SHOW TABLES LIKE 'failed';
