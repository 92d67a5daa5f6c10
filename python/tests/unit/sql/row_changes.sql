-- Pairs: a canonical statement and its row-change query.

DELETE FROM __target WHERE __e1;
SELECT
  CAST(2 AS TINYINT) AS __change,
  __target.ROW__ID AS __row_id
FROM __target
WHERE
  __e1;

DELETE FROM __target;
SELECT
  CAST(2 AS TINYINT) AS __change,
  __target.ROW__ID AS __row_id
FROM __target;

INSERT INTO __target SELECT * FROM __source;
SELECT
  CAST(0 AS TINYINT) AS __change,
  CAST(NULL AS STRUCT<writeid: BIGINT, bucketid: INT, rowid: BIGINT>) AS __row_id,
  __source.*
FROM __source;

-- what goes has no values, but in their types; what comes has no place before

INSERT INTO __target REPLACE WHERE __e0 SELECT * FROM __source;
SELECT
  CAST(2 AS TINYINT) AS __change,
  __target.ROW__ID AS __row_id,
  IF(FALSE, `__target`.`a`, NULL) AS `a`
FROM __target
WHERE
  __e0
UNION ALL
SELECT
  CAST(0 AS TINYINT) AS __change,
  CAST(NULL AS STRUCT<writeid: BIGINT, bucketid: INT, rowid: BIGINT>) AS __row_id,
  __source.*
FROM __source;

-- each new row stands there twice, to ask for what goes and to come

INSERT INTO __target REPLACE WHERE EXISTS (SELECT 1 FROM __source WHERE __e0) SELECT __e1 AS `a` FROM __source;
SELECT
  IF(__asks, CAST(6 AS TINYINT), CAST(0 AS TINYINT)) AS __change,
  __row_id,
  __e1 AS `a`
FROM (
  SELECT
    __target.*,
    __target.ROW__ID AS __row_id,
    TRUE AS __in_target
  FROM __target
) AS __t
RIGHT OUTER JOIN (
  SELECT
    __source.*,
    EXPLODE(ARRAY(TRUE, FALSE)) AS __asks
  FROM __source
) AS __s
  ON __asks AND __e0
WHERE
  __in_target OR NOT __asks;

UPDATE __target SET `a` = __e1, `Odd ``name` = __e2 WHERE __e3;
SELECT
  CAST(1 AS TINYINT) AS __change,
  __target.ROW__ID AS __row_id,
  __e1 AS `a`,
  __e2 AS `Odd ``name`
FROM __target
WHERE
  __e3;

UPDATE __target SET `a` = __e1;
SELECT
  CAST(1 AS TINYINT) AS __change,
  __target.ROW__ID AS __row_id,
  __e1 AS `a`
FROM __target;

MERGE INTO __target USING __source ON __e0 WHEN MATCHED AND __e1 THEN UPDATE SET `a` = __e2 WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND __e3 THEN INSERT (`a`) VALUES (__e4) WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT
  CASE __clause
    WHEN 1
    THEN CAST(1 AS TINYINT)
    WHEN 2
    THEN CAST(2 AS TINYINT)
    WHEN 3
    THEN CAST(0 AS TINYINT)
    WHEN 4
    THEN CAST(2 AS TINYINT)
    ELSE CAST(3 AS TINYINT)
  END AS __change,
  __row_id,
  CASE __clause WHEN 1 THEN __e2 WHEN 3 THEN __e4 END AS `a`
FROM (
  SELECT
    *,
    CASE
      WHEN NOT __in_target IS NULL AND NOT __in_source IS NULL
      THEN CASE WHEN __e1 THEN 1 ELSE 2 END
      WHEN NOT __in_source IS NULL
      THEN CASE WHEN __e3 THEN 3 END
      WHEN NOT __in_target IS NULL
      THEN 4
    END AS __clause
  FROM (
    SELECT
      __target.*,
      __target.ROW__ID AS __row_id,
      TRUE AS __in_target
    FROM __target
  ) AS __t
  FULL OUTER JOIN (
    SELECT
      __source.*,
      TRUE AS __in_source
    FROM __source
  ) AS __s
    ON __e0
) AS __merged
WHERE
  NOT __clause IS NULL;

-- matched rows to which no clause applies are kept as 3: they count when a row is matched twice

MERGE INTO __target USING __source ON __e0 WHEN MATCHED AND __e1 THEN UPDATE SET `a` = __e2;
SELECT
  CASE __clause WHEN 1 THEN CAST(1 AS TINYINT) ELSE CAST(3 AS TINYINT) END AS __change,
  __row_id,
  CASE __clause WHEN 1 THEN __e2 END AS `a`
FROM (
  SELECT
    *,
    CASE
      WHEN NOT __in_target IS NULL AND NOT __in_source IS NULL
      THEN CASE WHEN __e1 THEN 1 ELSE 0 END
    END AS __clause
  FROM (
    SELECT
      __target.*,
      __target.ROW__ID AS __row_id,
      TRUE AS __in_target
    FROM __target
  ) AS __t
  INNER JOIN (
    SELECT
      __source.*,
      TRUE AS __in_source
    FROM __source
  ) AS __s
    ON __e0
) AS __merged
WHERE
  NOT __clause IS NULL;

MERGE INTO __target USING __source ON __e0 WHEN MATCHED THEN UPDATE SET `a` = __e1 WHEN NOT MATCHED THEN INSERT (`a`) VALUES (__e2);
SELECT
  CASE __clause
    WHEN 1
    THEN CAST(1 AS TINYINT)
    WHEN 2
    THEN CAST(0 AS TINYINT)
    ELSE CAST(3 AS TINYINT)
  END AS __change,
  __row_id,
  CASE __clause WHEN 1 THEN __e1 WHEN 2 THEN __e2 END AS `a`
FROM (
  SELECT
    *,
    CASE
      WHEN NOT __in_target IS NULL AND NOT __in_source IS NULL
      THEN 1
      WHEN NOT __in_source IS NULL
      THEN 2
    END AS __clause
  FROM (
    SELECT
      __target.*,
      __target.ROW__ID AS __row_id,
      TRUE AS __in_target
    FROM __target
  ) AS __t
  RIGHT OUTER JOIN (
    SELECT
      __source.*,
      TRUE AS __in_source
    FROM __source
  ) AS __s
    ON __e0
) AS __merged
WHERE
  NOT __clause IS NULL;

-- a lone delete of all that matches may match any number of times: 6

MERGE INTO __target USING __source ON __e0 WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND __e1 THEN UPDATE SET `a` = __e2;
SELECT
  CASE __clause
    WHEN 1
    THEN CAST(6 AS TINYINT)
    WHEN 2
    THEN CAST(1 AS TINYINT)
    ELSE CAST(3 AS TINYINT)
  END AS __change,
  __row_id,
  CASE __clause WHEN 2 THEN __e2 END AS `a`
FROM (
  SELECT
    *,
    CASE
      WHEN NOT __in_target IS NULL AND NOT __in_source IS NULL
      THEN 1
      WHEN NOT __in_target IS NULL
      THEN CASE WHEN __e1 THEN 2 END
    END AS __clause
  FROM (
    SELECT
      __target.*,
      __target.ROW__ID AS __row_id,
      TRUE AS __in_target
    FROM __target
  ) AS __t
  LEFT OUTER JOIN (
    SELECT
      __source.*,
      TRUE AS __in_source
    FROM __source
  ) AS __s
    ON __e0
) AS __merged
WHERE
  NOT __clause IS NULL;

MERGE INTO __target USING __source ON __e0 WHEN MATCHED THEN DELETE;
SELECT
  CAST(2 AS TINYINT) AS __change,
  __target.ROW__ID AS __row_id
FROM __target
LEFT SEMI JOIN __source
  ON __e0;

MERGE INTO __target USING __source ON __e0 WHEN NOT MATCHED BY SOURCE AND __e1 THEN DELETE;
SELECT
  CAST(2 AS TINYINT) AS __change,
  __target.ROW__ID AS __row_id
FROM __target
LEFT ANTI JOIN __source
  ON __e0
WHERE
  __e1;

MERGE INTO __target USING __source ON __e0 WHEN MATCHED AND __e1 THEN DELETE;
SELECT
  CASE __clause WHEN 1 THEN CAST(2 AS TINYINT) ELSE CAST(3 AS TINYINT) END AS __change,
  __row_id,
  IF(FALSE, `__old_a`, NULL) AS `a`
FROM (
  SELECT
    *,
    CASE
      WHEN NOT __in_target IS NULL AND NOT __in_source IS NULL
      THEN CASE WHEN __e1 THEN 1 ELSE 0 END
    END AS __clause
  FROM (
    SELECT
      __target.*,
      __target.ROW__ID AS __row_id,
      `__target`.`a` AS `__old_a`,
      TRUE AS __in_target
    FROM __target
  ) AS __t
  INNER JOIN (
    SELECT
      __source.*,
      TRUE AS __in_source
    FROM __source
  ) AS __s
    ON __e0
) AS __merged
WHERE
  NOT __clause IS NULL;

MERGE INTO __target USING __source ON __e0 WHEN NOT MATCHED AND __e1 THEN INSERT (`a`) VALUES (__e2);
SELECT
  CAST(0 AS TINYINT) AS __change,
  CAST(NULL AS STRUCT<writeid: BIGINT, bucketid: INT, rowid: BIGINT>) AS __row_id,
  __e2 AS `a`
FROM __source
LEFT ANTI JOIN __target
  ON __e0
WHERE
  __e1;

MERGE INTO __target USING __source ON __e0 WHEN NOT MATCHED AND __e1 THEN INSERT (`a`) VALUES (__e2) WHEN NOT MATCHED THEN INSERT (`a`) VALUES (__e3);
SELECT
  CAST(0 AS TINYINT) AS __change,
  CAST(NULL AS STRUCT<writeid: BIGINT, bucketid: INT, rowid: BIGINT>) AS __row_id,
  CASE __clause WHEN 1 THEN __e2 WHEN 2 THEN __e3 END AS `a`
FROM (
  SELECT
    *,
    CASE WHEN __e1 THEN 1 ELSE 2 END AS __clause
  FROM __source
  LEFT ANTI JOIN __target
    ON __e0
) AS __merged
WHERE
  NOT __clause IS NULL;
