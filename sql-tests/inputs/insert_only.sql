-- Insert-only tables: whole rows come and whole partitions go, in files of ORC and of Parquet alike.

--TABLE_DIM t orc STORED AS ORC
--TABLE_DIM t parquet_partitioned PARTITIONED BY (name) STORED AS PARQUET
CREATE TABLE t (id INT, price INT, name STRING) ${t} TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');

INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, NULL, 'two'), (4, 40, NULL);
INSERT INTO t (name, id, price) SELECT name, id + 10, price FROM t WHERE id < 3;
INSERT INTO t BY NAME SELECT 'five' AS name, 5 AS id, 50 AS price;
SELECT * FROM t ORDER BY id;
SELECT name, count(*), sum(price) FROM t GROUP BY name ORDER BY name;
SELECT id FROM t WHERE name = 'two' AND (price > 15 OR price IS NULL) ORDER BY id;

-- read by statements about other tables

CREATE TABLE other (id INT, price INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO other SELECT id, 0 FROM t WHERE id < 5;
MERGE INTO other o USING t ON o.id = t.id WHEN MATCHED AND t.price > 10 THEN UPDATE SET price = t.price WHEN NOT MATCHED THEN INSERT (id, price) VALUES (t.id, -1);
DELETE FROM other WHERE id IN (SELECT id FROM t WHERE name = 'one');
SELECT * FROM other ORDER BY id;

-- rows have no IDs

UPDATE t SET price = 1 WHERE id = 1;
DELETE FROM t WHERE id = 1;
DELETE FROM t;
MERGE INTO t USING other o ON o.id = t.id WHEN MATCHED THEN DELETE;
INSERT INTO t REPLACE WHERE id = 1 SELECT * FROM t;
SELECT ROW__ID FROM t;

-- all rows are replaced, whatever partitions there are

SET spark.sql.sources.partitionOverwriteMode = static;
INSERT OVERWRITE t SELECT id, price + 1, name FROM t WHERE name = 'two';
SELECT * FROM t ORDER BY id;
INSERT OVERWRITE t SELECT id, price, 'new' FROM t WHERE id = 2;
SELECT * FROM t ORDER BY id;
TRUNCATE TABLE t;
SELECT count(*) FROM t;
INSERT INTO t VALUES (1, 1, 'again');
SELECT * FROM t;
DROP TABLE t;
