-- ROW__ID is there for who asks for it, and for nobody else.

CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE u (id INT, word STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

CREATE TABLE plain (id INT) STORED AS ORC;

INSERT INTO t VALUES (1, 'one'), (2, 'two');

INSERT INTO t VALUES (3, 'three');

INSERT INTO u VALUES (1, 'eins'), (3, 'drei');

INSERT INTO plain VALUES (1);

-- hidden

SELECT * FROM t;

SELECT t.* FROM t;

DESCRIBE t;

SHOW COLUMNS IN t;

SELECT count(*) FROM (SELECT * FROM t) WHERE ROW__ID IS NULL;

-- asked for: whole, its fields, any case, by the table's name or alias

SELECT ROW__ID, * FROM t;

SELECT row__id.writeid, Row__Id.bucketid, t.ROW__ID.rowid, id FROM t;

SELECT x.ROW__ID.rowid AS r, x.id FROM t AS x;

SELECT `ROW__ID`.`writeId` AS w FROM t;

-- in conditions, groups, joins and subqueries

SELECT id FROM t WHERE ROW__ID.writeid = 1;

SELECT id FROM t WHERE ROW__ID = named_struct('writeid', 1L, 'bucketid', 536870912, 'rowid', 1L);

SELECT ROW__ID.writeid AS w, count(*) AS n FROM t GROUP BY ROW__ID.writeid;

SELECT count(DISTINCT ROW__ID) FROM t;

SELECT t.id, t.ROW__ID.writeid AS t_w, u.ROW__ID.writeid AS u_w, u.ROW__ID.rowid AS u_r FROM t JOIN u ON t.id = u.id;

SELECT t.id, u.ROW__ID FROM t LEFT JOIN u ON t.id = u.id;

SELECT a.id, b.id FROM t a JOIN t b ON a.ROW__ID = b.ROW__ID;

SELECT r.w, id FROM (SELECT ROW__ID.writeid AS w, id FROM t) AS r WHERE r.w = 2;

SELECT id FROM t WHERE ROW__ID IN (SELECT ROW__ID FROM t WHERE id = 3);

SELECT (SELECT max(ROW__ID.rowid) FROM t) AS last;

-- ambiguous, unknown, of other tables

SELECT ROW__ID FROM t JOIN u ON t.id = u.id;

SELECT ROW__ID.nothing FROM t;

SELECT ROW__ID FROM plain;

SELECT ROW__ID FROM VALUES (1) AS v(id);

CREATE VIEW v AS SELECT * FROM t;

SELECT ROW__ID FROM v;

CREATE VIEW w AS SELECT ROW__ID AS r, id FROM t;

SELECT r.rowid, id FROM w;

-- of deleted rows: gone, and not given to others

DELETE FROM t WHERE ROW__ID.writeid = 1 AND ROW__ID.rowid = 0;

SELECT ROW__ID.writeid AS w, ROW__ID.rowid AS r, id FROM t;

INSERT INTO t VALUES (4, 'four');

SELECT ROW__ID.writeid AS w, ROW__ID.rowid AS r, id FROM t;

-- a column of that name

CREATE TABLE named (row__id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
