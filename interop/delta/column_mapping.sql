-- spark
CREATE TABLE {t} (id INT, name STRING, st STRUCT<x: INT, y: STRING>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO {t} VALUES (1, 'a', named_struct('x', 1, 'y', 'p'));
ALTER TABLE {t} RENAME COLUMN name TO title;
-- tarn
INSERT INTO {t} VALUES (2, 'b', named_struct('x', 2, 'y', 'q'));
UPDATE {t} SET title = 'c' WHERE id = 1;
-- check
-- spark
ALTER TABLE {t} DROP COLUMN title;
ALTER TABLE {t} ADD COLUMN (title STRING);
INSERT INTO {t} VALUES (3, named_struct('x', 3, 'y', 'r'), 'new');
-- tarn
MERGE INTO {t} t USING (SELECT 3 AS id UNION ALL SELECT 4) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET title = 'm' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
-- check
