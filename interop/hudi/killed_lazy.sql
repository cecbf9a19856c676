-- Where failed writes are left to the cleaning (LAZY), whoever cleans rolls back the other's once its heartbeat has stopped.
-- set hoodie.cleaner.policy.failed.writes=LAZY
-- set hoodie.client.heartbeat.interval_in_ms=1000
-- set hoodie.client.heartbeat.tolerable.misses=1
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'three', 3.5, 10, 'us'), (4, 'four', 4.5, 10, 'us');
-- tarn stopped ^\.hoodie/(timeline/)?\d+(_\d+)?\.(delta)?commit$
INSERT INTO {t} VALUES (1, 'never', 0.5, 20, 'eu'), (9, 'never', 0.5, 20, 'us');
-- hudi
UPDATE {t} SET name = 'three by hudi', ts = 30 WHERE id = 3;
-- check
-- wait 3
-- hudi
CALL run_clean(table => '{t}', retain_commits => 1);
INSERT INTO {t} (id, name, price, ts, region) VALUES (1, 'one by hudi', 1.75D, 40L, 'eu'), (5, 'five', 5.5D, 40L, 'us');
-- check
-- hudi fails
SET hoodie.precommit.validators=org.apache.hudi.client.validator.SqlQuerySingleResultPreCommitValidator;
SET hoodie.precommit.validators.single.value.sql.queries=select count(*) from <TABLE_NAME>#999;
INSERT INTO {t} (id, name, price, ts, region) VALUES (2, 'never', 0.5D, 60L, 'eu'), (8, 'never', 0.5D, 60L, 'us');
-- hudi
RESET hoodie.precommit.validators;
RESET hoodie.precommit.validators.single.value.sql.queries;
-- tarn
UPDATE {t} SET name = 'two by tarn', ts = 65 WHERE id = 2;
-- check
-- wait 3
-- tarn
CALL run_clean(table => '{t}', retain_commits => 1);
INSERT INTO {t} VALUES (2, 'two again', 2.125, 70, 'eu'), (6, 'six', 6.5, 70, 'us');
-- check
-- hudi
UPDATE {t} SET price = 6.25, ts = 100 WHERE id = 6;
-- check
