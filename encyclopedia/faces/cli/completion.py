"""``encyclopedia completion``: the script that lets a shell complete commands, options and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.parser import Commands

HELP = "print the completion script for bash, zsh or fish"
EPILOG = """\
  bash:  eval "$(encyclopedia completion bash)"     in ~/.bashrc
  zsh:   eval "$(encyclopedia completion zsh)"      in ~/.zshrc, after compinit
  fish:  encyclopedia completion fish | source      in ~/.config/fish/config.fish"""


def add_parser(commands: Commands) -> None:
    """The arguments of ``completion``."""
    parser = commands.add_parser("completion", help=HELP, description=HELP, epilog=EPILOG)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def run(arguments: Namespace) -> int:
    """Print the script."""
    import sys

    from argcomplete.shell_integration import shellcode

    # no fallback to the names of files: where one is wanted, the completer gives it
    sys.stdout.write(shellcode(["encyclopedia"], shell=arguments.shell, complete_arguments=["-o", "nospace"]))
    sys.stdout.write("\n")
    return 0
