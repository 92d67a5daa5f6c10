-- MERGE INTO: one join, per row the first clause whose condition holds.

CREATE TABLE t (id INT, name STRING, price DECIMAL(6,2)) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'one', 1.10), (2, 'two', 2.20), (3, 'three', 3.30), (NULL, 'null', 0.00);
CREATE TEMP VIEW s AS SELECT * FROM VALUES (2, 'zwei', 22.0), (3, 'drei', 33.0), (4, 'vier', 44.0), (NULL, 'nichts', 0.0) AS s(id, name, price);

-- an upsert: the old version is deleted in its bucket, the new one beside it, new rows under a statement ID of their own.
-- NULL keys match nothing.
--FILES t
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET name = s.name, price = t.price + s.price
WHEN NOT MATCHED AND s.id IS NOT NULL THEN INSERT (id, name, price) VALUES (s.id, s.name, s.price);
SELECT * FROM t ORDER BY id;

-- every kind of clause, in the order in which they stand; aliases; conditions over both sides
MERGE INTO t AS a USING s AS b ON a.id = b.id
WHEN MATCHED AND b.price > 40 THEN DELETE
WHEN MATCHED AND a.name = 'zwei' THEN UPDATE SET a.name = upper(b.name)
WHEN MATCHED AND a.name = 'zwei' THEN DELETE
WHEN NOT MATCHED AND b.name = 'nichts' THEN INSERT (price, id) VALUES (b.price, -1)
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND a.id IS NULL THEN UPDATE SET id = 0
WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT * FROM t ORDER BY id;

-- SET * and INSERT * match by name; further columns of the source do not matter
MERGE INTO t USING (SELECT 'extra' AS extra, price, name, id FROM s WHERE id IS NOT NULL) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t ORDER BY id;

-- inserts only; a column that is not named is NULL
MERGE INTO t USING (SELECT 4 AS id UNION ALL SELECT 5 UNION ALL SELECT 5) s ON t.id = s.id
WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
MERGE INTO t USING (SELECT id FROM VALUES (6), (7), (8) AS v(id)) s ON t.id = s.id
WHEN NOT MATCHED AND s.id = 6 THEN INSERT (id, name) VALUES (s.id, 'six')
WHEN NOT MATCHED AND s.id = 7 THEN INSERT (id, name) VALUES (s.id, 'seven');
SELECT * FROM t WHERE id > 3 ORDER BY id;

-- deletes only: of what matches, however often; of what does not; under a condition
MERGE INTO t USING (SELECT 5 AS id UNION ALL SELECT 5) s ON t.id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO t USING (SELECT 6 AS id, 'six' AS name) s ON t.id = s.id WHEN MATCHED AND t.name = s.name THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND t.id > 5 THEN DELETE;
SELECT * FROM t ORDER BY id;

-- a row that any number of source rows delete is deleted once, also beside other clauses
MERGE INTO t USING (SELECT id FROM VALUES (4), (4), (9) AS v(id)) s ON t.id = s.id
WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
SELECT id FROM t ORDER BY id;

-- two source rows that match one row are an error, also if no clause applies to one of them; nothing is changed
MERGE INTO t USING (SELECT id FROM VALUES (2), (2) AS v(id)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'twice';
MERGE INTO t USING (SELECT * FROM VALUES (2, 1), (2, 2) AS v(id, n)) s ON t.id = s.id WHEN MATCHED AND n = 1 THEN UPDATE SET name = 'once';
MERGE INTO t USING (SELECT * FROM VALUES (2, 1), (2, 2) AS v(id, n)) s ON t.id = s.id WHEN MATCHED AND n = 3 THEN DELETE;
MERGE INTO t USING (SELECT 1 AS one) s ON t.id IN (2, 3) WHEN MATCHED THEN UPDATE SET name = 'one source row, two rows';
SELECT * FROM t ORDER BY id;

-- conditions that match all, or nothing, or are no equality
MERGE INTO t USING (SELECT 1 AS one) s ON false WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.one);
MERGE INTO t USING (SELECT 1 AS one) s ON true WHEN MATCHED THEN UPDATE SET price = 0 WHEN NOT MATCHED THEN INSERT (id) VALUES (100);
MERGE INTO t USING (SELECT 2 AS low, 4 AS high) s ON t.id >= s.low AND t.id < s.high
WHEN MATCHED THEN UPDATE SET price = t.id + s.high WHEN NOT MATCHED BY SOURCE AND t.id = 9 THEN DELETE;
MERGE INTO t USING s ON t.id <=> s.id WHEN MATCHED AND s.id IS NULL THEN DELETE;
SELECT * FROM t ORDER BY id;

-- sources: VALUES, a CTE, the table itself, nothing
MERGE INTO t USING (VALUES (1, 'col1 and col2')) s ON t.id = s.col1 WHEN MATCHED THEN UPDATE SET name = s.col2;
WITH c AS (SELECT 3 AS id, 'cte' AS name) MERGE INTO t USING c ON t.id = c.id WHEN MATCHED THEN UPDATE SET name = c.name;
MERGE INTO t USING t AS o ON t.id = o.id + 1 WHEN MATCHED THEN UPDATE SET name = o.name WHEN NOT MATCHED AND o.id = 3 THEN INSERT (id, name) VALUES (o.id + 1, 'self');
MERGE INTO t USING (SELECT * FROM s WHERE false) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING s ON t.id = s.id AND false WHEN MATCHED THEN DELETE;
SELECT * FROM t ORDER BY id;

-- the hidden row ID, on either side
MERGE INTO t USING (SELECT max(ROW__ID) AS latest FROM t) s ON t.ROW__ID = s.latest WHEN MATCHED THEN UPDATE SET name = 'latest';
SELECT * FROM t ORDER BY id;

-- values: of store assignment, DEFAULT, expressions that would fail for rows of other clauses, nested fields
CREATE TABLE n (id INT, s STRUCT<a: INT, b: STRING>, x INT DEFAULT 7) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO n VALUES (0, named_struct('a', 0, 'b', 'zero'), 0), (1, named_struct('a', 1, 'b', 'one'), 1);
MERGE INTO n USING (SELECT id FROM VALUES (0), (1), (2) AS v(id)) v ON n.id = v.id
WHEN MATCHED AND v.id = 0 THEN UPDATE SET s.b = 'nested', x = DEFAULT
WHEN MATCHED THEN UPDATE SET x = 10 / v.id, s.a = s.a + 1
WHEN NOT MATCHED THEN INSERT (id, s) VALUES (v.id, named_struct('a', 2, 'b', 'two'));
SELECT * FROM n ORDER BY id;
MERGE INTO n USING s ON n.id = s.id WHEN MATCHED THEN UPDATE SET x = s.name;
MERGE INTO n USING s ON n.id = s.id WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.name);
MERGE INTO n USING (SELECT 1 AS id, 3000000000 AS big) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET x = s.big;
SELECT * FROM n ORDER BY id;

-- columns named like those of the rewriting
CREATE TABLE o (`__clause` INT, `__change` INT, `__in_source` INT, `___row_id` INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO o VALUES (1, 1, 1, 1);
MERGE INTO o USING (SELECT id AS `__clause`, 5 AS `__in_target` FROM VALUES (1), (2) AS v(id)) s ON o.`__clause` = s.`__clause`
WHEN MATCHED THEN UPDATE SET `__change` = s.`__in_target`, `___row_id` = 9
WHEN NOT MATCHED THEN INSERT (`__clause`, `__in_source`) VALUES (s.`__clause`, s.`__in_target`);
SELECT * FROM o ORDER BY 1;

-- errors of Spark's own
MERGE INTO t USING s ON t.id = s.unknown WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.name THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET unknown = 1;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'a', name = 'b';
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id);
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id);
MERGE INTO t USING (SELECT id FROM s) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *;
MERGE INTO t USING s ON t.id = s.id AND rand() > 2 WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND t.id IN (SELECT id FROM s) THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND max(t.id) > 1 THEN DELETE;
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'x';
MERGE INTO s USING t ON t.id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO t USING s ON t.id = s.id;

-- Hive's spelling: values for all columns, in order, partition columns last
MERGE INTO t USING (SELECT 20 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'hive', 2.5);
SELECT * FROM t WHERE id = 20;
MERGE INTO t USING (SELECT 20 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id);
MERGE INTO nowhere USING (SELECT 20 AS id) s ON nowhere.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id);

-- partitions: rows that move, that come to new ones, and partitions that a condition names
CREATE TABLE p (id INT, name STRING) PARTITIONED BY (d INT, k STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 'a', 0, 'x'), (2, 'b', 1, 'x'), (3, 'c', 1, 'y'), (4, 'd', 0, NULL);
--FILES p
MERGE INTO p USING (SELECT * FROM VALUES (1, 'A'), (4, 'D'), (5, 'E') AS v(id, name)) s ON p.id = s.id
WHEN MATCHED AND s.id = 1 THEN UPDATE SET name = s.name, d = p.d + 1
WHEN MATCHED THEN UPDATE SET k = 'was null', name = s.name
WHEN NOT MATCHED THEN INSERT (id, name, d, k) VALUES (s.id, s.name, 7, 'new');
SELECT * FROM p ORDER BY id;
SELECT d, k, count(*) FROM p GROUP BY ALL ORDER BY ALL;
MERGE INTO p USING (SELECT 6 AS id) s ON p.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'hive', 7, 'new');
SELECT * FROM p WHERE id = 6;
DELETE FROM p WHERE id = 6;
-- assigned, but to the same: the row stays
--FILES p
MERGE INTO p USING (SELECT 5 AS id, 7 AS d) s ON p.id = s.id WHEN MATCHED THEN UPDATE SET d = s.d, name = 'stays';
MERGE INTO p USING (SELECT 2 AS id) s ON p.id = s.id AND p.d = 1 AND p.k = 'x' WHEN MATCHED THEN UPDATE SET name = 'named';
MERGE INTO p USING (SELECT 99 AS id) s ON p.id = s.id WHEN NOT MATCHED BY SOURCE AND p.d = 7 THEN DELETE;
SELECT * FROM p ORDER BY id;
-- UPDATE moves rows too, to NULL's partition as well
UPDATE p SET d = d + id, k = nullif(k, 'y') WHERE id < 4;
SELECT * FROM p ORDER BY id;
UPDATE p SET d = NULL WHERE id = 2;
UPDATE p SET d = 'text';
SELECT * FROM p ORDER BY id;
