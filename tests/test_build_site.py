"""The command that makes the site, without its long parts."""

import pytest

from tools import build_site


@pytest.mark.parametrize("keys", [["one", "one"], ["one", "another"]])
def test_a_site_is_put_in_place_only_where_nothing_changed_while_it_was_made(monkeypatch, tmp_path, keys):
    made, site = tmp_path / "made", tmp_path / "site"
    for folder in (made, site):
        folder.mkdir()
        (folder / "index.html").write_text(folder.name)
    for module, name in (
        (build_site, "record_all"),
        (build_site, "prepare"),
        (build_site, "check_sizes"),
        (build_site.site_search, "write_index"),
        (build_site.site_pages, "make_light"),
    ):
        monkeypatch.setattr(module, name, lambda *_: None)
    monkeypatch.setattr(build_site, "run_sphinx", lambda _: made)
    left = iter(keys)
    monkeypatch.setattr(build_site, "key", lambda *_: next(left))
    monkeypatch.setattr("sys.argv", ["build_site", "--to", str(site)])
    if keys == ["one", "one"]:
        build_site.main()
        assert (site / ".key").read_text() == "one"
    else:
        with pytest.raises(SystemExit, match="changed while it was made"):
            build_site.main()
    assert (site / "index.html").read_text() == ("made" if keys == ["one", "one"] else "site")
