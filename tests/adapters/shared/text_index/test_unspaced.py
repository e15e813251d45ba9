from __future__ import annotations

import pytest

from encyclopedia_adapters.shared.text_index import Passage, TextIndex
from encyclopedia_adapters.shared.text_index.coverage import Coverage, content_words

TEXTS = {
    "zh-index": "数据库的索引可以加快查询的速度，但会占用更多的空间。",
    "zh-retry": "网络请求超时以后，客户端应该稍后再重新发送请求。",
    "zh-memory": "垃圾回收器会自动释放不再使用的内存，程序员不必手动管理。",
    "zh-lock": "多线程程序的锁如果顺序不同，就可能发生死锁的问题。",
    "ja-index": "データベースの索引は検索を速くしますが、容量を使います。",
    "ja-retry": "通信がタイムアウトした場合は、しばらくしてから再送します。",
    "ja-memory": "ガベージコレクションは使われないメモリを自動で解放します。",
    "ja-lock": "複数のスレッドが互いに鍵を待つとデッドロックになります。",
    "th-index": "ดัชนีของฐานข้อมูลช่วยให้การค้นหาเร็วขึ้นแต่ใช้พื้นที่มากขึ้น",
    "th-retry": "เมื่อการเชื่อมต่อหมดเวลาไคลเอนต์ควรส่งคำขออีกครั้งในภายหลัง",
    "th-memory": "ตัวเก็บขยะจะคืนหน่วยความจำที่ไม่ได้ใช้แล้วโดยอัตโนมัติ",
    "th-lock": "เธรดที่รอล็อกของกันและกันจะทำให้เกิดการติดตายของโปรแกรม",
    "digits": "The port is ８０８０ in version ３.１２ of the manual.",
    "accents": "Le café est fermé; le naïf réessaie plus tard.",
}
CASES = [
    ("数据库索引", "zh-index"),
    ("如何加快数据库的查询速度", "zh-index"),
    ("请求超时", "zh-retry"),
    ("怎么避免多线程的死锁问题", "zh-lock"),
    ("検索を速く", "ja-index"),
    ("タイムアウトしたら再送", "ja-retry"),
    ("ﾃﾞｯﾄﾞﾛｯｸ", "ja-lock"),
    ("メモリを解放する", "ja-memory"),
    ("ฐานข้อมูล", "th-index"),
    ("ทำอย่างไรให้ค้นหาฐานข้อมูลเร็วขึ้น", "th-index"),
    ("หน่วยความจำ", "th-memory"),
    ("การติดตายของเธรด", "th-lock"),
    ("8080", "digits"),
    ("３.12", "digits"),
    ("cafe\u0301 ferme\u0301", "accents"),
    ("nai\u0308f", "accents"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    index = TextIndex(str(tmp_path_factory.mktemp("index")))
    with index.update() as writer:
        for name, text in TEXTS.items():
            writer.put(name, [Passage(name, name, "", text)])
    return index


@pytest.mark.spec("ENC-INDEX-11")
@pytest.mark.parametrize(("question", "expected"), CASES)
def test_text_without_spaces_is_found_and_nothing_beside_it(index, question, expected):
    assert [match.id for match in index.search(question, limit=50)] == [expected]


@pytest.mark.spec("ENC-INDEX-11")
@pytest.mark.parametrize(
    ("question", "most"),
    [("的", 3), ("鍵", 1), ("の", 2), ("ます", 4), ("การ", 3), ("ก", 4), ("库", 1), ("水", 0), ("水曜日", 0)],
)
def test_a_short_or_common_question_does_not_match_everything(index, question, most):
    assert len(index.search(question, limit=50)) <= most < len(TEXTS) / 3


@pytest.mark.spec("ENC-INDEX-11")
def test_a_long_question_needs_more_than_one_common_pair(index):
    assert index.search("今天的天气怎么样呢", limit=50) == ()
    assert index.search("昨日の天気を教えてください", limit=50) == ()


def test_what_a_question_asks_for_are_pairs():
    assert content_words("数据库") == ["数据", "据库"]
    assert content_words("库") == ["库"]
    coverage = Coverage("数据库索引", 10, lambda _: 1)
    assert coverage.share(TEXTS["zh-index"]) > coverage.enough > coverage.share(TEXTS["zh-memory"])
