-- tarn
CREATE TABLE {t} (id INT, s STRING) TBLPROPERTIES ('delta.checkpointInterval' = '3');
INSERT INTO {t} VALUES (1, 'a');
INSERT INTO {t} VALUES (2, 'b');
INSERT INTO {t} VALUES (3, 'c');
INSERT INTO {t} VALUES (4, 'd');
DELETE FROM {t} WHERE id = 2;
INSERT INTO {t} VALUES (5, 'e');
-- check
-- spark
INSERT INTO {t} VALUES (6, 'f');
INSERT INTO {t} VALUES (7, 'g');
INSERT INTO {t} VALUES (8, 'h');
-- check
-- tarn
UPDATE {t} SET s = upper(s) WHERE id > 3;
INSERT INTO {t} VALUES (9, 'i');
-- check
