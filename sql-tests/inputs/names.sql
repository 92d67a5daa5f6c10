-- Columns may be called like those of ACID files, like what statements are rewritten to, or like words of SQL, in any
-- case and script; what the metastore does not allow is refused, and nothing else is.

-- like ACID's own, and the struct's fields in ROW__ID
CREATE TABLE acid (operation INT, originalTransaction STRING, bucket INT, rowId INT, currentTransaction STRING, `row` STRUCT<operation: INT, `row`: STRING>, writeid INT, bucketid INT)
STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO acid VALUES (1, 'one', 1, 1, 'cur', named_struct('operation', 1, 'row', 'r'), 11, 12), (2, 'two', 2, 2, NULL, NULL, 21, 22), (3, 'three', 3, 3, 'x', NULL, 31, 32);

--ROWS acid
UPDATE acid SET operation = 7, `row`.operation = rowId + 10, currentTransaction = originalTransaction, bucketid = 5 WHERE bucket = 1;

DELETE FROM acid WHERE rowid = 2 AND operation = 2 AND acid.writeid = 21;

SELECT *, ROW__ID FROM acid ORDER BY rowId;

-- like the names of rewritten statements
CREATE TABLE rewritten (__change INT, __row_id INT, __target STRUCT<ROW__ID: INT, __e1: INT>, __source INT, __e0 INT, __e1 INT, __e2 INT, _metadata STRING, __old_k INT)
PARTITIONED BY (k INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO rewritten SELECT 1, 2, named_struct('ROW__ID', 3, '__e1', 4), 5, 6, 7, 8, 'meta', 9, 1 UNION ALL SELECT 11, 12, NULL, 15, 16, 17, 18, NULL, 19, 2;

UPDATE rewritten SET __e0 = __e1, __e1 = __e2, __e2 = __e0, __change = __row_id, __row_id = __target.ROW__ID, __source = __old_k WHERE __e1 = 7 AND __target.__e1 = 4 AND _metadata = 'meta';

INSERT INTO rewritten BY NAME SELECT 2 AS k, __e1 AS __e2, __e2 AS __e1, _metadata FROM rewritten WHERE k = 1;

DELETE FROM rewritten AS __target WHERE __target.__e1 = 99;

DELETE FROM rewritten WHERE __e1 = (SELECT max(__e1) FROM rewritten __target WHERE __target.__old_k = rewritten.__old_k) AND __change > 10;

SELECT * FROM rewritten ORDER BY __e0;

-- rows that move keep what is not assigned, though it is called like what is
UPDATE rewritten SET __change = 70.0, k = k + 10 WHERE __e1 = 8;

SELECT * FROM rewritten ORDER BY __e0;

-- the names that are not possible: of the hidden column, and with a backtick, which ORC's reader cuts
CREATE TABLE taken (id INT, row__id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

--EXPECT error
CREATE TABLE tick (`a``b` INT) PARTITIONED BY (k INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE tick (id INT) PARTITIONED BY (`k``` INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO tick VALUES (1, 2);

SELECT * FROM tick;

-- mixed case, reserved words, blanks, dots, other scripts
CREATE TABLE `MixedCase` (Id INT, `SELECT` INT, `from` INT, `a b` INT, `a.b` INT, `größe` INT, `日本` INT, `1st` INT, `a-b` INT, Nested STRUCT<FieldOne: INT, `select`: INT>)
PARTITIONED BY (`Order` STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO mixedcase VALUES (1, 2, 3, 4, 5, 7, 8, 9, 10, named_struct('FieldOne', 1, 'select', 2), 'x');

INSERT INTO MIXEDCASE (ID, `select`, `ORDER`) VALUES (2, 22, 'X');

--ROWS mixedcase
UPDATE MixedCase SET `Select` = `FROM`, `a b` = `a.b`, `a.b` = `a b`, `größe` = `日本`, `日本` = `größe`, nested.FIELDONE = `1st` + `a-b` WHERE `ORDER` = 'x';

DELETE FROM mixedCASE WHERE `seLECT` = 22 AND `order` = 'X';

SELECT * FROM MixedCase;

SELECT mixedcase.`a.b`, MixedCase.NESTED.`Select` FROM MixedCase WHERE `größe` = 8 AND `日本` = 7;

-- names that differ in case only are one name
CREATE TABLE twice (id INT, ID INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

UPDATE MixedCase SET id = 1, ID = 2;

-- table names
CREATE TABLE `select` (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO `select` VALUES (1);

UPDATE `SELECT` SET id = 2;

SELECT `select`.id FROM `select`;

CREATE TEMPORARY VIEW __source AS SELECT 3 AS __source;

INSERT INTO `select` SELECT __source.__source FROM __source;

CREATE TEMPORARY VIEW __target AS SELECT 2 AS id;

DELETE FROM `select` WHERE id IN (SELECT __target.id FROM __target);

SELECT id FROM `select`;

-- a table whose folder begins with an underscore would be hidden from Hive 4
CREATE TABLE `__hidden` (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE `größe` (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE `a b` (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE `a.b` (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

-- fields of structs have less freedom
CREATE TABLE fields (s STRUCT<`a-b`: INT>) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
