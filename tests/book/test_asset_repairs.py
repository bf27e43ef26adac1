"""Scripts of Sphinx that a build mends, or finds as the build before left them."""

import logging

from lab.book.site import asset_repairs


def test_a_script_is_mended_once_also_if_the_build_before_has_minified_it(tmp_path, caplog):
    logging.getLogger("sphinx").propagate = True
    script = tmp_path / "sphinx_highlight.js"
    script.write_text('if (node.matches("button, select, textarea")) return;', "utf-8")
    asset_repairs.apply(tmp_path)
    right = 'matches("button, select, textarea, svg")'
    assert script.read_text("utf-8") == f"if (node.{right}) return;"
    script.write_text(f"if(e.{right})return", "utf-8")  # minified, with another variable
    with caplog.at_level(logging.WARNING):
        asset_repairs.apply(tmp_path)
    assert not caplog.records
    assert script.read_text("utf-8") == f"if(e.{right})return"


def test_the_theme_s_scripts_keep_through_ours_and_the_words_of_the_model_stay(tmp_path):
    folder = tmp_path / "simulator-0123"
    folder.mkdir()
    (tmp_path / "sphinx_highlight.js").write_text(asset_repairs.MENDS[0][2], "utf-8")
    theme, model = tmp_path / "theme.js", folder / "panel.js"
    theme.write_text("localStorage.mode = 1", "utf-8")
    model.write_text('new Set("alert localStorage".split(" "))', "utf-8")
    asset_repairs.apply(tmp_path)
    assert theme.read_text("utf-8") == "LabStorage.local.mode = 1"
    assert model.read_text("utf-8") == 'new Set("alert localStorage".split(" "))'
