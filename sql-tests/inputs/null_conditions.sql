-- NULL as the whole condition is true of no row, whatever stands beside it
CREATE TABLE t (id INT NOT NULL, v STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
DELETE FROM t WHERE NULL;
UPDATE t SET v = 'no' WHERE NULL;
MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED AND NULL THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'yes';
MERGE INTO t USING (SELECT 3 AS id) s ON t.id = s.id
WHEN NOT MATCHED AND NULL THEN INSERT (id) VALUES (s.id) WHEN NOT MATCHED BY SOURCE AND NULL THEN DELETE;
MERGE INTO t USING (SELECT 1 AS id) s ON NULL WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id + 10, 'new');
SELECT * FROM t ORDER BY id;
-- it is evaluated all the same
DELETE FROM t WHERE raise_error('evaluated');
DELETE FROM t WHERE 'text';

-- a NULL for a column that must have a value: the error names the column
UPDATE t SET id = NULL;
UPDATE t SET id = nullif(id, 2);
MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = NULL;
MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = nullif(s.id, 1);
MERGE INTO t USING (SELECT 5 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (NULL, 'new');
SELECT * FROM t ORDER BY id;
