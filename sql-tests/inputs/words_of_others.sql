-- DELETE … USING, UPDATE … FROM, TRUNCATE without TABLE, and DROP PARTITION with comparisons, as other engines have them.
CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE p (id INT) PARTITIONED BY (day STRING, n INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE i (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only');

CREATE TABLE plain (id INT, name STRING) STORED AS ORC;

INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, NULL);

INSERT INTO plain VALUES (1, 'ONE'), (1, 'ONE again'), (3, 'THREE');

-- A row with several matches is deleted once.
DELETE FROM t AS x USING plain AS s WHERE x.id = s.id AND s.name LIKE 'ONE%';

SELECT * FROM t ORDER BY id;

DELETE FROM t USING (SELECT max(id) AS id FROM t) AS s WHERE t.id = s.id;

-- A name of both tables is no name of one.
DELETE FROM t USING plain AS s WHERE id = s.id;

UPDATE t SET name = concat(t.name, s.name) FROM plain s WHERE t.id = s.id;

SELECT * FROM t ORDER BY id;

EXPLAIN ACID DELETE FROM t USING plain AS s WHERE t.id = s.id;

INSERT INTO t VALUES (1, 'one');

-- Of several matches an UPDATE would have to choose.
UPDATE t SET name = s.name FROM plain s WHERE t.id = s.id;

SELECT * FROM t ORDER BY id;

-- What a MERGE does not say.
DELETE FROM t USING plain AS s, p WHERE t.id = s.id;

DELETE FROM t USING plain AS s WHERE t.id = s.id LIMIT 1;

DELETE FROM t ORDER BY id LIMIT 1;

UPDATE t SET (id, name) = (SELECT 1, 'x');

UPDATE t SET name = s.name FROM plain s WHERE t.id = s.id ANDD;

-- Other tables.
DELETE FROM i USING plain AS s WHERE i.id = s.id;

DELETE FROM plain USING t WHERE plain.id = t.id;

TRUNCATE plain;

TRUNCATE t;

SELECT * FROM t;

-- Partitions are told by the types of their columns.
INSERT INTO p VALUES (1, 'a', 2), (2, 'b', 10), (3, 'c', 10), (4, 'it\'s', 3), (5, 'c', NULL);

ALTER TABLE p DROP PARTITION (day >= 'b', n > 5), PARTITION (day = 'it\'s');

SHOW PARTITIONS p;

ALTER TABLE p DROP PARTITION (n > 77);

ALTER TABLE p DROP IF EXISTS PARTITION (n > 77);

ALTER TABLE p DROP PARTITION (id > 1);

ALTER TABLE t DROP PARTITION (id > 1);

ALTER TABLE plain DROP PARTITION (id > 1);

ALTER TABLE p DROP PARTITION (day <> 'z') PURGE;

SELECT * FROM p;
