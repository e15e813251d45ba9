"""Tables as they come: line ends, marks, accents, rows that do not fit; hostile ones are refused within bounds."""

from __future__ import annotations

import pytest

from encyclopedia_adapters.local.grounding.bm25_search import load_csv
from encyclopedia_adapters.local.grounding.table import MOST_COLUMNS, TableError, parse, read_table

PLAIN = [{"Name": "Café 😀", "Note": "one\ntwo"}, {"Name": "Ärger", "Note": ""}]


@pytest.mark.spec("ENC-GROUND-12")
@pytest.mark.parametrize(
    "raw",
    [
        'Name,Note\nCafé 😀,"one\ntwo"\nÄrger,\n'.encode(),
        'Name,Note\r\nCafé 😀,"one\r\ntwo"\r\nÄrger,\r\n'.encode(),
        'Name,Note\r\nCafé 😀,"one\ntwo"\n\n\r\nÄrger,'.encode(),
        '\ufeff\nName,Note\nCafé 😀,"one\ntwo"\nÄrger\n'.encode(),
        'Name,Note\rCafé 😀,"one\rtwo"\rÄrger,\r'.encode(),
        'Name,Note\nCafé 😀,"one\ntwo"\nÄrger,\n'.encode("utf-16"),
    ],
)
def test_line_ends_marks_and_encodings_do_not_matter(raw):
    assert list(parse(raw).rows) == PLAIN


@pytest.mark.spec("ENC-GROUND-12")
def test_a_row_tells_its_lines_and_whether_it_fits():
    table = parse(b'A,B,A\n"1\n2",x,y\n\nz\n1,2,3,4\n')
    assert table.columns == ("A", "B")
    assert table.lines == ((2, 3), (5, 5), (6, 6))
    assert table.repeated == ("A",)
    assert [tuple(each) for each in table.ragged] == [(table.lines[1], 1), ((6, 6), 4)]
    assert table.rows == ({"A": "y", "B": "x"}, {"A": "z", "B": ""}, {"A": "3", "B": "2"})


@pytest.mark.spec("ENC-GROUND-12")
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "no header line"),
        (b"\n\n", "no header line"),
        (b"Name\nA\0B\n", "not text"),
        (b"Name\n" + b"x" * 70_000 + b"\0", "not text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "not text"),
        (b'Name\nok\n"' + b"x" * 200_000 + b'"\n', "line 3: field larger than field limit"),
        (b",".join(b"c%d" % number for number in range(100_000)) + b"\n1\n", f"100000 columns, more than {MOST_COLUMNS}"),
        (b",".join(b"c%d" % number for number in range(1000)) + b"\n" + b"1\n" * 4001, "more than 4,000,000 cells"),
    ],
)
def test_what_is_no_table_is_refused(raw, reason):
    with pytest.raises(TableError, match=reason):
        parse(raw)


@pytest.mark.spec("ENC-GROUND-12")
def test_a_cell_of_100_megabytes_is_not_read_to_its_end(tmp_path):
    file = tmp_path / "large.csv"
    with open(file, "wb") as opened:
        opened.write(b"Name\nx")
        opened.truncate(100_000_000)
    with pytest.raises(TableError, match="larger than 20 MB"):
        read_table(file)


@pytest.mark.spec("ENC-GROUND-12")
def test_what_is_no_plain_file_is_refused(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("pipe.csv", "folder.csv"):
        with pytest.raises(TableError, match=r"not a plain file|a directory"):
            read_table(tmp_path / name)


@pytest.mark.spec("ENC-GROUND-12")
def test_bytes_that_are_no_utf_8_do_not_cost_the_table(tmp_path):
    (tmp_path / "latin.csv").write_bytes(b"Name\nCaf\xe9\nplain\n")
    assert read_table(tmp_path / "latin.csv").garbled
    assert load_csv(tmp_path / "latin.csv") == [{"Name": "Caf\ufffd"}, {"Name": "plain"}]
