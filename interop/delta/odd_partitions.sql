-- tarn
CREATE TABLE {t} (v INT, p STRING, q INT) PARTITIONED BY (p, q);
INSERT INTO {t} VALUES (1, 'a/b', 1), (2, 'c d', 2), (3, '100%', 3), (4, 'x=y:z', 4), (5, NULL, 5), (6, 'ünïcode', NULL), (7, '#?&', 7);
-- check
-- spark
INSERT INTO {t} VALUES (8, 'a/b', 1), (9, 'e+f', 9), (10, '', 10);
-- check
-- tarn
DELETE FROM {t} WHERE p = 'a/b';
UPDATE {t} SET v = v * 10 WHERE p IS NULL;
-- check
