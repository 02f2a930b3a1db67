"""README's warehouse: from a connection string to search in two commands, on a real PostgreSQL."""

import secrets

import pytest
from commands import Commands

pytestmark = pytest.mark.pg

STATEMENTS = (
    "CREATE SCHEMA rivm",
    'CREATE TABLE rivm.vac_reg (pid bigint, gem_cd char(4), "DTPh" date, bmr1_dt date,'
    ' "mnkC" boolean)',
    "COMMENT ON TABLE rivm.vac_reg IS 'Vaccinations given to children, one row a child'",
    "COMMENT ON COLUMN rivm.vac_reg.\"DTPh\" IS 'day of the diphtheria, tetanus and polio repeat'",
    "CREATE TABLE rivm.gem (gem_cd char(4), gem_nm text, inw int)",
    "COMMENT ON TABLE rivm.gem IS 'Municipalities and their inhabitants'",
    "CREATE TABLE hosp_adm (adm_id int, pat_id int, adm_dt date, disch_dt date, dgns_cd text)",
    "CREATE MATERIALIZED VIEW hosp_adm_mth AS SELECT date_trunc('month', adm_dt) AS mth,"
    " count(*) AS n_adm FROM hosp_adm GROUP BY 1",
)


def test_two_commands_lead_from_a_connection_string_to_search(postgres, tmp_path):
    name = f"health_{secrets.token_hex(4)}"
    postgres.execute(f"CREATE DATABASE {name}")
    postgres.execute(*STATEMENTS, database=name)
    run = Commands(tmp_path, "file:./polaris-data")

    read = run.answer("ingest", postgres.url(name), "--describe", "none")
    found = run.answer("search", "diphtheria vaccination")
    discharged = run.answer("search", "hospital discharge date")

    assert (read["seen"], read["stored"], read["rejected"]) == (4, 4, 0)
    assert found["hits"][0]["table_id"] == f"{name}.rivm.vac_reg"
    assert discharged["hits"][0]["table_id"] == f"{name}.public.hosp_adm"
    postgres.execute(f"DROP DATABASE {name}")


def test_sync_of_a_warehouse_removes_what_was_dropped_and_nothing_else(postgres, tmp_path):
    name = f"sync_{secrets.token_hex(4)}"
    postgres.execute(f"CREATE DATABASE {name}")
    postgres.execute(*(f"CREATE TABLE t{number} (a int)" for number in range(10)), database=name)
    run = Commands(tmp_path, "file:./polaris-data")
    run.answer("ingest", postgres.url(name), "--describe", "none")
    postgres.execute("DROP TABLE t3", database=name)

    removed = run.answer("ingest", postgres.url(name), "--describe", "none", "--sync")

    assert (removed["removed"], removed["unchanged"]) == (1, 9)
    postgres.execute(f"DROP DATABASE {name}")
