from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given

from encyclopedia.model.errors import UsageError
from encyclopedia.model.query import Correction, Query
from encyclopedia.model.vocabulary import Vocabulary
from encyclopedia.stages.classify import classify
from encyclopedia.stages.correct import correct
from tests.prepared import ROOT, TEXTS, classified, corrected, nothing, table, vocabulary

# None of these may be touched: developers' words, names, and common English near a term.
WORDS = """
htmx uv pytest kwargs json numpy asarray code test serve gunicorn uvicorn rusty node limits lists tokens restarts deploys
serde axum hono vite vitest esbuild pnpm deno svelte nuxt astro remix prisma drizzle ruff mypy pyright pydantic polars duckdb
dtype argparse asyncio stdin stderr stdout println eprintln goroutine nginx traefik kubectl kubelet minikube istio etcd
grpc protobuf webauthn oauth oidc mutex semaphore coroutine memoize monorepo dataclass namedtuple isinstance functools
unicode regexes iterators hashable awaitable callable subclassing teardown backoff sharding upsert debounce throttled
autoscaler healthcheck filesystem hostname localhost changelog gitignore dockerfile makefile readme lockfile monkeypatch
performant idempotent contiguous collision collation variation validation analytic statistic synchronisation behaviour
colour licence catalogue resized serialised reindexed unmounted preloaded multitenant
"""
TYPOS = """
kuberntes=kubernetes kubernets=kubernetes kubernettes=kubernetes limts=limits depenency=dependency dependancy=dependency
asyncronous=asynchronous configuraiton=configuration configuation=configuration enviroment=environment
environmnet=environment authetication=authentication authentification=authentication authorizaiton=authorization
implmentation=implementation initalization=initialization intialize=initialize middlewear=middleware midleware=middleware
repostory=repository repositry=repository respone=response reponse=response reqeust=request requets=request
serialzation=serialization endpont=endpoint paramter=parameter arguement=argument excpetion=exception execption=exception
fuction=function fucntion=function compnent=component tempalte=template databse=database datbase=database
continous=continuous deploymnet=deployment infrastucture=infrastructure typescipt=typescript javascipt=javascript
javscript=javascript postgressql=postgresql postgress=postgresql mongdb=mongodb elasticsearh=elasticsearch
webasembly=webassembly microservce=microservice recieve=receive seperate=separate lenght=length pyhton=python dokcer=docker
djagno=django fatsapi=fastapi serach=search pakcage=package
"""
# In no table of ours: found by distance alone.
UNLISTED = """
kuberneetes=kubernetes tensorfow=tensorflow sqlalchmy=sqlalchemy promethues=prometheus grafanna=grafana terrafrm=terraform
pydantc=pydantic asyncoi=asyncio matplotlb=matplotlib graphqll=graphql opentelemtry=opentelemetry streamlt=streamlit
beautifulsop=beautifulsoup goruotine=goroutine provisionng=provisioning observabilty=observability idempotncy=idempotency
tokenizaton=tokenization normalizaton=normalization refactorng=refactoring serverles=serverless autoscalng=autoscaling
"""


@pytest.mark.spec("ENC-CORRECT-1")
@pytest.mark.parametrize("row", table("correct.txt"), ids=lambda row: ascii(row[0])[:60])
def test_table(row: list[str]) -> None:
    query, expected = row
    made = corrected(query).corrections
    assert ", ".join(f"{one.original} → {one.replacement}" for one in made) == expected


@pytest.mark.spec("ENC-CORRECT-1")
def test_developers_words_stay() -> None:
    assert len(WORDS.split()) >= 60
    assert [(word, corrected(word).corrections) for word in WORDS.split() if corrected(word).corrections] == []
    assert corrected(WORDS).corrections == ()


@pytest.mark.spec("ENC-CORRECT-2")
@pytest.mark.parametrize("pair", [*TYPOS.split(), *UNLISTED.split()])
def test_misspellings_are_found(pair: str) -> None:
    wrong, right = pair.split("=")
    assert corrected(f"the {wrong} thing").corrections == (Correction(wrong, right),)


@pytest.mark.spec("ENC-CORRECT-2")
def test_the_unlisted_ones_are_in_no_table() -> None:
    assert not {pair.split("=")[0] for pair in UNLISTED.split()} & set(vocabulary().misspellings)


def small(text: str, *terms: str, **words: object) -> list[str]:
    question = classify(Query(text), libraries=nothing, english=frozenset(), max_chars=1000)
    made = correct(question, vocabulary=Vocabulary(terms=frozenset(terms), **words), known=nothing, libraries=nothing)
    return [one.replacement for one in made.corrections]


@pytest.mark.spec("ENC-CORRECT-3")
def test_how_far_a_term_may_be() -> None:
    assert small("contaner", "container") == ["container"]
    assert small("contanr", "contain") == []  # seven letters, two edits
    assert small("contaein", "contain") == ["contain"]
    assert small("cntanier", "container") == ["container"]  # eight letters, two edits
    assert small("cntainr", "container") == []  # seven letters, two edits
    assert small("dontainer", "container") == []  # another first letter
    assert small("cahe", "cache") == []  # four letters
    assert small("cotnainer", "container") == ["container"]  # a swap of neighbours is one edit
    assert small("contanier", "c0ntainer") == []  # no term with a digit is a correction


@pytest.mark.spec("ENC-CORRECT-3")
def test_a_tie_is_no_correction_and_the_nearest_wins() -> None:
    assert small("limts", "limits", "lists") == []
    assert small("limts", "limits") == ["limits"]
    assert small("contanners", "containers", "container") == ["containers"]


@pytest.mark.spec("ENC-CORRECT-3")
def test_the_table_goes_before_the_distance() -> None:
    assert small("limts", "limbs", misspellings={"limts": "limits"}) == ["limits"]


@pytest.mark.spec("ENC-CORRECT-4")
def test_a_word_that_is_known_anywhere_stays() -> None:
    question = classified("kuberntes limts")
    words = vocabulary()
    unlisted = words._replace(misspellings={})
    made = correct(question, vocabulary=unlisted, known=lambda word: word == "kuberntes", libraries=nothing)
    assert "kuberntes" not in [one.original for one in made.corrections]
    made = correct(question, vocabulary=unlisted, known=nothing, libraries=nothing)
    assert "kuberntes" in [one.original for one in made.corrections]
    made = correct(question, vocabulary=words, known=nothing, libraries=lambda word: word == "kuberntes")
    assert [one.original for one in made.corrections] == ["limts"]


@pytest.mark.spec("ENC-CORRECT-8")
def test_a_listed_misspelling_is_corrected_though_an_index_holds_it() -> None:
    made = correct(classified("kuberntes pod limts"), vocabulary=vocabulary(), known=lambda _: True, libraries=nothing)
    assert [(one.original, one.replacement) for one in made.corrections] == [("kuberntes", "kubernetes"), ("limts", "limits")]


@pytest.mark.spec("ENC-CORRECT-5")
def test_a_corrected_library_is_the_library() -> None:
    assert (classified("kuberntes pods").library, classified("kuberntes pods").unsure) == ("", True)
    made = corrected("kuberntes pods")
    assert (made.library, made.unsure) == ("kubernetes", False)
    made = corrected("rich tables in kuberntes")
    assert (made.library, made.unsure) == ("kubernetes", False)
    made = corrected("django on kuberntes")
    assert made.library == "django"
    made = corrected("reqeusts timeout")  # a common word: not sure
    assert (made.library, made.unsure) == ("requests", True)
    assert (corrected("pod limts").library, corrected("pod limts").unsure) == ("", True)


@pytest.mark.spec("ENC-CORRECT-6")
@given(TEXTS)
def test_only_free_words_are_corrected_and_the_text_stays(text: str) -> None:
    try:
        before = classified(text)
    except UsageError:
        return
    after = corrected(text)
    assert (after.text, after.tokens, after.query) == (before.text, before.tokens, before.query)
    free = {token.text for token in before.tokens if not token.protected}
    for made in after.corrections:
        assert made.original in free
        assert made.original.isascii()
        assert len(made.original) >= 5
        assert made.original[0] == made.replacement[0] or made.original in vocabulary().misspellings
    words = vocabulary()
    empty = Vocabulary(english=words.english)
    assert correct(before, vocabulary=empty, known=nothing, libraries=nothing) == before


@pytest.mark.spec("ENC-CORRECT-6")
@given(TEXTS)
def test_switched_off(text: str) -> None:
    try:
        before = classified(text, correct=False)
    except UsageError:
        return
    assert corrected(text, correct=False) is not None
    assert corrected(text, correct=False) == before


@pytest.mark.spec("ENC-CORRECT-7")
def test_the_library_is_needed_only_by_an_unknown_word() -> None:
    script = """
import sys
sys.modules["rapidfuzz"] = None
from encyclopedia.model.query import Query
from encyclopedia.stages.classify import classify
from encyclopedia.stages.correct import correct
from encyclopedia.model.vocabulary import Vocabulary
words = Vocabulary(terms=frozenset({"container"}), misspellings={"limts": "limits"})
no = lambda word: False
ask = lambda text: correct(classify(Query(text), libraries=no, english=frozenset(), max_chars=99), vocabulary=words, known=no, libraries=no)
assert ask("limts container Kuber k8s").corrections[0].replacement == "limits"
try:
    ask("contaner")
except ImportError:
    print("needed")
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "needed\n"
