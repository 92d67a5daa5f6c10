-- The same statements give the same rows and counts, however the table is laid out.

--TABLE_DIM t flat
--TABLE_DIM t partitioned PARTITIONED BY (name)
--TABLE_DIM t partitioned_twice PARTITIONED BY (price, name)
CREATE TABLE t (id INT, price INT, name STRING) ${t} STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 20, 'two'), (4, 40, 'four');
INSERT INTO t (name, id, price) SELECT name, id + 10, price FROM t WHERE id < 3;
INSERT INTO t BY NAME SELECT 'five' AS name, 5 AS id, 50 AS price;
SELECT * FROM t ORDER BY id;

UPDATE t SET id = id + 100 WHERE name = 'two';
UPDATE t SET id = -id WHERE price = 20 AND id > 105 OR name IN ('one', 'no such');
UPDATE t SET id = 0 WHERE name = 'no such';
SELECT * FROM t ORDER BY id;

DELETE FROM t WHERE name = 'four';
DELETE FROM t WHERE id = 102;
DELETE FROM t WHERE name = 'two' AND price < 20;
SELECT * FROM t ORDER BY id;
SELECT name, count(*), sum(price) FROM t GROUP BY name ORDER BY name;

DELETE FROM t WHERE name LIKE '%o%';
SELECT * FROM t;
DELETE FROM t;
INSERT INTO t VALUES (1, 1, 'again');
SELECT * FROM t;
