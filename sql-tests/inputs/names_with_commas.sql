-- Names of columns may hold commas, quotes and other signs. Spark makes such tables since 4.0.

CREATE TABLE comma (`a,b` INT, `a:b` INT, `<;>` STRING, `"'\` INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

INSERT INTO comma VALUES (1, 2, 'x', 3), (4, 5, 'y', 6);

--ROWS comma
UPDATE comma SET `a,b` = `a:b`, `"'\` = 7 WHERE `<;>` = 'x';

SELECT * FROM comma ORDER BY `a,b`;
