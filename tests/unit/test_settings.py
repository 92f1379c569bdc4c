import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network
from pathlib import Path

import pytest

from server.match.world import Pace
from server.settings import PREFIX, BadSettings, Settings, load_settings, make_data_folder, secret_key


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith(PREFIX):
            monkeypatch.delenv(name)


def complaints(**environment) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(PREFIX + name, value)
        with pytest.raises(BadSettings) as caught:
            load_settings()
    return caught.value.lines


def test_the_defaults_are_those_of_the_protocol():
    settings = load_settings()
    assert settings.clocks == (15, 30, 45, 60, 90, 120)
    assert settings.limits is True
    assert settings.frame_bytes == 4096
    assert (settings.messages_per_second, settings.message_burst) == (20, 40)
    assert (settings.tables_per_hour, settings.sessions_per_hour, settings.unknown_codes_per_minute) == (20, 60, 30)
    assert settings.durability == "full"


def test_every_setting_says_what_fits():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_the_environment_sets_every_kind_of_value(monkeypatch):
    given = {
        "CLOCKS": " 30, 2,30",
        "LIMITS": "Off",
        "BOT_PACE_MS": "0",
        "LOG_LEVEL": "DEBUG",
        "DURABILITY": "relaxed",
        "ALLOWED_ORIGINS": "https://Dice.example:443/, http://[::1]:8080",
        "TRUSTED_PROXIES": "10.0.0.0/8,::1",
        "PUBLIC_URL": "https://dice.example/",
        "TABLES_PER_HOUR": "7",
    }
    for name, value in given.items():
        monkeypatch.setenv(PREFIX + name, value)
    settings = load_settings()
    assert settings.clocks == (2, 30)
    assert settings.limits is False
    assert settings.pace == Pace(0, 0)
    assert (settings.log_level, settings.durability, settings.tables_per_hour) == ("debug", "relaxed", 7)
    assert settings.allowed_origins == ("https://dice.example", "http://[::1]:8080")
    assert settings.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert settings.public_url == "https://dice.example"


def test_an_empty_variable_counts_as_none(monkeypatch):
    for name in ("BOT_PACE_MS", "CLOCKS", "SECRET_KEY", "PORT"):
        monkeypatch.setenv(PREFIX + name, "")
    settings = load_settings()
    assert settings.pace == Pace(600, 1500)
    assert (settings.port, settings.secret_key) == (8000, None)


def test_what_is_given_goes_before_the_environment_and_none_is_not_given(monkeypatch):
    monkeypatch.setenv("CUBILETE_PORT", "9000")
    assert load_settings(port=9001).port == 9001
    assert load_settings(port=None).port == 9000


def test_the_data_folder_is_absolute_from_the_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_settings().data == tmp_path / "data"
    assert load_settings(data="there").data == tmp_path / "there"


def test_the_records_are_a_file_in_the_data_folder_unless_set_otherwise():
    assert load_settings(data="/srv/d").database_url == "sqlite+aiosqlite:////srv/d/records.db"
    other = "sqlite+aiosqlite:////srv/other.db"
    assert load_settings(database_url=other).database_url == other


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "http"),
        ("CLOCKS", "15,0"),
        ("CLOCKS", "15,,30"),
        ("CLOCKS", "15;30"),
        ("BOT_PACE_MS", "-1"),
        ("BOT_PACE_MS", "fast"),
        ("LIMITS", "some"),
        ("TABLES_PER_HOUR", "0"),
        ("DURABILITY", "none"),
        ("LOG_LEVEL", "chatty"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("ALLOWED_ORIGINS", "dice.example"),
        ("ALLOWED_ORIGINS", "https://dice.example/play"),
        ("PUBLIC_URL", "https://ana@dice.example"),
        ("PUBLIC_URL", "https://dice.example:99999"),
        ("DATABASE_URL", "mysql://db/x"),
        ("DATABASE_URL", "sqlite+aiosqlite:///"),
        ("SECRET_KEY", "x" * 31),
    ],
)
def test_a_bad_value_gives_one_sentence_that_names_the_variable(name, value):
    (line,) = complaints(**{name: value})
    assert line.startswith(f"CUBILETE_{name}: ")
    assert line.endswith(f"does not fit; expected: {Settings.model_fields[name.lower()].description}.")


def test_each_bad_value_has_its_own_sentence():
    lines = complaints(PORT="x", CLOCKS="x,y", LIMITS="x")
    assert [line.partition(":")[0] for line in lines] == ["CUBILETE_PORT", "CUBILETE_CLOCKS", "CUBILETE_LIMITS"]
    assert "'x' does not fit" in lines[0]


def test_a_bad_folder_is_not_blamed_on_the_records_in_it():
    with pytest.raises(BadSettings) as caught:
        load_settings(data=5)
    assert [line.partition(":")[0] for line in caught.value.lines] == ["CUBILETE_DATA"]


def test_a_bad_secret_is_not_repeated():
    lines = complaints(SECRET_KEY="hunter2", DATABASE_URL="postgres://ana:hunter2@db/x")
    assert len(lines) == 2
    assert "hunter2" not in "".join(lines)


def test_a_secret_is_not_shown_by_printing_the_settings():
    assert "s" * 32 not in repr(load_settings(secret_key="s" * 32))


def test_a_setting_that_does_not_exist_is_not_taken():
    with pytest.raises(BadSettings, match="CUBILETE_PRT: there is no such setting"):
        load_settings(prt=1)


def test_a_folder_that_is_not_there_is_made_for_its_owner_alone(tmp_path):
    settings = load_settings(data=tmp_path / "a" / "b")
    make_data_folder(settings)
    make_data_folder(settings)
    assert stat.S_IMODE(settings.data.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSettings, match=r"CUBILETE_DATA: the folder .*file/data cannot be made"):
        make_data_folder(load_settings(data=tmp_path / "file" / "data"))


def test_the_key_that_is_set_is_the_key(tmp_path):
    assert secret_key(load_settings(data=tmp_path, secret_key="k" * 32)) == b"k" * 32
    assert list(tmp_path.iterdir()) == []


def test_the_key_is_made_once_and_kept_for_its_owner_alone(tmp_path):
    settings = load_settings(data=tmp_path)
    key = secret_key(settings)
    assert len(key) == 32
    assert secret_key(settings) == key
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_two_services_make_two_keys(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert secret_key(load_settings(data=tmp_path / "a")) != secret_key(load_settings(data=tmp_path / "b"))


def test_all_that_start_at_once_get_the_same_key(tmp_path):
    settings = load_settings(data=tmp_path)
    ready = threading.Barrier(8)

    def start(_):
        ready.wait()
        return secret_key(settings)

    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(start, range(8)))
    assert len(keys) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["secret.key"]


def test_who_comes_second_takes_the_key_of_the_first(tmp_path, monkeypatch):
    real_link = os.link

    def another_was_faster(draft, path):
        Path(path).write_text("ab" * 32)
        real_link(draft, path)

    monkeypatch.setattr(os, "link", another_was_faster)
    assert secret_key(load_settings(data=tmp_path)) == b"\xab" * 32
    assert [file.name for file in tmp_path.iterdir()] == ["secret.key"]


@pytest.mark.parametrize("content", ["", "ab" * 31, "not hex", "\xe9"])
def test_a_damaged_key_is_not_used(tmp_path, content):
    (tmp_path / "secret.key").write_text(content, encoding="latin-1")
    with pytest.raises(BadSettings, match=r"CUBILETE_SECRET_KEY: .*secret\.key is damaged"):
        secret_key(load_settings(data=tmp_path))


def test_a_key_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "secret.key").mkdir()
    with pytest.raises(BadSettings, match=r"CUBILETE_SECRET_KEY: .*secret\.key cannot be used"):
        secret_key(load_settings(data=tmp_path))
