-- INSERT into several tables: one transaction, and every INSERT reads what was there before it.

CREATE TABLE src (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE even (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE parts (id INT) PARTITIONED BY (name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE plain (id INT, name STRING) STORED AS ORC;
INSERT INTO src VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four');

FROM src INSERT INTO even SELECT * WHERE id % 2 = 0 INSERT INTO parts SELECT id, name WHERE id > 1;
SELECT * FROM even ORDER BY id;
SELECT * FROM parts ORDER BY id;
-- one transaction: one write ID in each table
SELECT DISTINCT ROW__ID.writeid FROM even;
SELECT DISTINCT ROW__ID.writeid FROM parts;

-- the source as a target, and a table twice: two statements of one write ID
--FILES src
FROM src INSERT INTO src SELECT id + 10, name WHERE id < 3 INSERT INTO src SELECT id + 20, name WHERE id < 3 INSERT INTO even SELECT * WHERE id > 10;
SELECT * FROM src ORDER BY id;
SELECT * FROM even ORDER BY id;

-- overwrites among them, dynamic and static partitions
FROM src INSERT OVERWRITE TABLE even SELECT id, upper(name) WHERE id > 20 INSERT OVERWRITE TABLE parts PARTITION (name = 'two') SELECT id WHERE id = 22 INSERT INTO src SELECT 0, 'zero' LIMIT 1;
SELECT * FROM even ORDER BY id;
SELECT * FROM parts ORDER BY id, name;
SELECT * FROM src WHERE id = 0;

-- nothing to insert anywhere
FROM src INSERT INTO even SELECT * WHERE false INSERT INTO parts SELECT id, name WHERE false;

-- an error in one of them undoes all
FROM src INSERT INTO even SELECT id + 100, name WHERE id = 1 INSERT INTO parts SELECT id, raise_error('no') WHERE id = 1;
FROM src INSERT INTO even SELECT id + 100, name WHERE id = 1 INSERT INTO parts SELECT name, name;
SELECT count(*) FROM even WHERE id > 100;

-- a table twice, once overwritten: the base would hide the other rows
FROM src INSERT OVERWRITE TABLE even SELECT * INSERT INTO even SELECT *;

-- partitions of one table: a base in each under one write ID, and rows beside them in another
CREATE TABLE days (id INT) PARTITIONED BY (d STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO days VALUES (100, 'a'), (200, 'b'), (300, 'c'), (400, 'd');
--FILES days
FROM src INSERT OVERWRITE TABLE days PARTITION (d = 'a') SELECT id WHERE id = 1 INSERT INTO TABLE days PARTITION (d = 'c') SELECT id WHERE id = 3 INSERT OVERWRITE TABLE days PARTITION (d = 'b') SELECT id WHERE id = 2;
SELECT * FROM days ORDER BY d, id;
-- one without rows is emptied, a dynamic one replaces what gets rows
FROM src INSERT OVERWRITE TABLE days PARTITION (d = 'a') SELECT id WHERE false INSERT OVERWRITE TABLE days PARTITION (d) SELECT id, 'e' WHERE id = 4;
SELECT * FROM days ORDER BY d, id;
-- where they meet, the rows of one would be lost
FROM src INSERT OVERWRITE TABLE days PARTITION (d = 'b') SELECT id WHERE id = 1 INSERT OVERWRITE TABLE days PARTITION (d = 'b') SELECT id WHERE id = 2;
FROM src INSERT INTO TABLE days PARTITION (d = 'b') SELECT id WHERE id = 1 INSERT OVERWRITE TABLE days PARTITION (d) SELECT id, 'b' WHERE id = 2;
FROM src INSERT OVERWRITE TABLE days PARTITION (d = 'b') SELECT id WHERE false INSERT INTO days SELECT id, 'b' WHERE id = 2;
SELECT * FROM days ORDER BY d, id;

-- beside a table that is not transactional there is no one transaction
FROM src INSERT INTO even SELECT * INSERT INTO plain SELECT *;
SELECT count(*) FROM plain;
