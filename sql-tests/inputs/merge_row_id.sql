-- ROW__ID in every clause of a MERGE, of the target and of the source.

CREATE TABLE t (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 0), (2, 0), (3, 0);
CREATE TABLE u (id INT, w INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO u VALUES (1, 10), (4, 40);
CREATE TABLE p (id INT, v INT) PARTITIONED BY (k INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO p VALUES (1, 0, 1), (2, 0, 2), (3, 0, 2);

-- within the source: of the target's own table, of another, in a CTE, of joined, sorted, grouped and united rows
MERGE INTO t USING (SELECT ROW__ID AS r FROM t WHERE id = 1) s ON t.ROW__ID = s.r WHEN MATCHED THEN UPDATE SET v = 1;
MERGE INTO t USING (SELECT ROW__ID AS r FROM u) s ON t.id = s.r.rowid + 2 WHEN MATCHED THEN UPDATE SET v = s.r.rowid + 2;
SELECT * FROM t ORDER BY id;
WITH s AS (SELECT ROW__ID AS r FROM t WHERE id = 1) MERGE INTO t USING s ON t.ROW__ID = s.r WHEN MATCHED THEN UPDATE SET v = 4;
MERGE INTO t USING (SELECT a.ROW__ID, u.w FROM t a JOIN u ON a.id = u.id AND u.ROW__ID.rowid = 0) s ON t.ROW__ID = s.ROW__ID
WHEN MATCHED THEN UPDATE SET v = t.v + s.w;
MERGE INTO t USING (SELECT ROW__ID AS r FROM t ORDER BY id DESC LIMIT 1) s ON t.ROW__ID = s.r WHEN MATCHED THEN UPDATE SET v = 5;
MERGE INTO t USING (SELECT max(ROW__ID.rowid) AS r FROM u GROUP BY ROW__ID.writeid HAVING max(ROW__ID.rowid) = 1) s ON t.id = s.r + 1
WHEN MATCHED THEN UPDATE SET v = 6;
SELECT * FROM t ORDER BY id;
MERGE INTO t USING (SELECT ROW__ID.rowid AS r FROM u UNION ALL SELECT ROW__ID.rowid + 2 FROM u) s ON t.id = s.r
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.r, 7);
SELECT * FROM t ORDER BY id;

-- of the source as it stands: in ON, in each condition, in each value
MERGE INTO t USING u s ON t.id = s.id AND s.ROW__ID.rowid = 0 WHEN MATCHED THEN UPDATE SET v = s.ROW__ID.rowid + 8;
MERGE INTO t USING u s ON t.id = s.id
WHEN MATCHED AND s.ROW__ID.rowid = 0 THEN UPDATE SET v = s.ROW__ID.bucketid - t.ROW__ID.bucketid + 9
WHEN NOT MATCHED AND s.ROW__ID.rowid = 1 THEN INSERT (id, v) VALUES (s.id, s.ROW__ID.rowid)
WHEN NOT MATCHED BY SOURCE AND t.ROW__ID.writeid = 1 THEN DELETE;
SELECT * FROM t ORDER BY id;
MERGE INTO t USING u s ON t.id = s.id + 10 WHEN NOT MATCHED AND s.ROW__ID.rowid = 0 THEN INSERT VALUES (s.ROW__ID.rowid + 20, s.w);
MERGE INTO t USING t s ON t.ROW__ID = s.ROW__ID WHEN MATCHED THEN UPDATE SET v = s.id;
MERGE INTO t USING u s ON t.id = s.id AND s.ROW__ID.rowid = 1 WHEN MATCHED THEN DELETE;
SELECT * FROM t ORDER BY id;

-- a row ID in the source is no column for * of the target's columns, nor for those of the source
MERGE INTO t USING (SELECT ROW__ID, id, w AS v FROM u) s ON t.id = s.id AND s.ROW__ID.rowid = 0
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM t ORDER BY id;

-- partitions
MERGE INTO p USING (SELECT ROW__ID AS r, k FROM p WHERE id = 2) s ON p.ROW__ID = s.r AND p.k = s.k WHEN MATCHED THEN UPDATE SET v = 9;
MERGE INTO p USING u s ON p.id = s.ROW__ID.rowid + 2 WHEN MATCHED THEN UPDATE SET k = s.ROW__ID.rowid + 3;
SELECT * FROM p ORDER BY id;

-- it cannot be assigned
MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET ROW__ID = u.ROW__ID;
MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED THEN INSERT (id, ROW__ID) VALUES (u.id, u.ROW__ID);
SELECT count(*) FROM t;
