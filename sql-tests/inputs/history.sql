-- Each statement leaves a note of who wrote what, in one of its folders. Literals and comments stay out of it.
CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
CREATE TABLE p (id INT, name STRING) PARTITIONED BY (k STRING) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

--HISTORY t
INSERT INTO t VALUES (1, 'Ada'), (2, "Bob"), (-3, r'C:\'), (4, 'it''s'), (5, NULL);

--HISTORY t
UPDATE t /* not for everyone: Ada */ SET name = concat(name, '!')
WHERE id < 1e1 AND name = 'Ada' -- who?
;

--HISTORY t
DELETE FROM t WHERE `id` = 2 OR true = (name LIKE '%x\'%');

--HISTORY t
MERGE INTO t USING (SELECT 3 AS id, 'new' AS name) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET name = s.name
WHEN NOT MATCHED THEN INSERT *;

-- nothing is changed, and nothing noted
--HISTORY t
DELETE FROM t WHERE id = 99;

-- of one script each statement has its own text
--QUERY-DELIMITER-START
--HISTORY t
BEGIN
  DECLARE secret STRING DEFAULT 'hidden';
  IF 1 = 1 THEN
    UPDATE t SET name = secret WHERE id = 4;
  END IF;
  DELETE FROM t WHERE id = 5;
END;
--QUERY-DELIMITER-END

--HISTORY t
EXECUTE IMMEDIATE 'INSERT INTO t VALUES (?, ''six'')' USING 6;

-- one transaction, two tables; the note of a statement lies in its first partition
--HISTORY p
FROM t INSERT INTO p PARTITION (k) SELECT id, name, 'b' INSERT INTO p PARTITION (k = 'a') SELECT id, 'copy';

--HISTORY p
INSERT OVERWRITE p PARTITION (k = 'a') SELECT 1, 'over';

--HISTORY p
INSERT INTO p REPLACE WHERE k = 'b' SELECT 2, 'replaced', 'b';

--HISTORY p
TRUNCATE TABLE p PARTITION (k = 'b');

--HISTORY c
CREATE TABLE c STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS id, 'a' AS name;

--HISTORY m
CREATE TABLE m STORED AS PARQUET
TBLPROPERTIES ('transactional' = 'true', 'transactional_properties' = 'insert_only') AS SELECT 1 AS id, 'a' AS name;

-- the text, or everything, can be left out
CREATE TABLE q (id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');
SET spark.hiveacid.history.statementText = false;
INSERT INTO q VALUES (1);
SET spark.hiveacid.history.enabled = false;
--HISTORY q
--FILES q
INSERT INTO q VALUES (2);
