import pytest

from encyclopedia.engine.attempt import unguarded
from encyclopedia.engine.complete import Model, Written
from encyclopedia.model.errors import AuthRefused
from encyclopedia.ports import Completion


class Fixed:
    def __init__(self, answer) -> None:
        self.answer, self.asked = answer, []

    async def complete(self, system, prompt, *, max_tokens, timeout):
        self.asked.append((system, prompt, max_tokens, timeout))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.spec("ENC-ASK-17")
async def test_a_model_is_made_when_it_is_first_asked():
    made = []
    fixed = Fixed(Completion("text", 7))
    model = Model(lambda: made.append(1) or fixed, unguarded, 3.0, 50)
    assert made == []
    assert await model.write("rules", "prompt") == Written("text", 7)
    await model.write("rules", "again")
    assert made == [1]
    assert fixed.asked[0] == ("rules", "prompt", 50, 3.0)


@pytest.mark.spec("ENC-ASK-17")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (AuthRefused("the key is not accepted"), "the key is not accepted"),
        (TimeoutError(), ""),
        (Completion(""), "it wrote nothing"),
    ],
)
async def test_whatever_a_model_raises_is_a_reason(answer, reason):
    written = await Model(lambda: Fixed(answer), unguarded, 3.0, 50).write("rules", "prompt")
    assert written.text == ""
    assert written.reason
    assert reason in written.reason
