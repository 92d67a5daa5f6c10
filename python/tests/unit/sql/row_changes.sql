-- Pairs: a canonical statement and its row-change query.

DELETE FROM __target WHERE __e1;
SELECT CAST(2 AS TINYINT) AS __change, __target.ROW__ID AS __row_id FROM __target WHERE __e1;

DELETE FROM __target;
SELECT CAST(2 AS TINYINT) AS __change, __target.ROW__ID AS __row_id FROM __target;

INSERT INTO __target SELECT * FROM __source;
SELECT CAST(0 AS TINYINT) AS __change, CAST(NULL AS STRUCT<writeid: BIGINT, bucketid: INT, rowid: BIGINT>) AS __row_id, __source.* FROM __source;

UPDATE __target SET `a` = __e1, `Odd ``name` = __e2 WHERE __e3;
SELECT CAST(1 AS TINYINT) AS __change, __target.ROW__ID AS __row_id, __e1 AS `a`, __e2 AS `Odd ``name` FROM __target WHERE __e3;

UPDATE __target SET `a` = __e1;
SELECT CAST(1 AS TINYINT) AS __change, __target.ROW__ID AS __row_id, __e1 AS `a` FROM __target;
