"""The room `namespace`: what is in it, what is not, how it ends, and what it says where it cannot be had."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from labs import room_namespace
from labs.namespaces import Refused
from labs.room_namespace import HOSTS_ADDRESS, HOSTS_NAME, ROOM, command, explained, offers
from tests.needs import refuse

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0
NOBODY = 65534
#: A user id without rights that owns what we own: an ordinary user for the kernel, who still reads our files.
POWERLESS = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


@pytest.fixture(autouse=True)
def the_room_can_be_had() -> None:
    """Where this kernel forbids the room, its tests are reported as not run; on CI that is a failure."""
    offer = offers()
    if not offer.ok:
        refuse(offer.reason)


def run(argv: Sequence[str], **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command with our packages on its path, and return what it said."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        argv, **{"env": environment, "capture_output": True, "text": True, "timeout": PATIENCE, "cwd": "/"} | options
    )


def inside(program: str, *before: str, **options: object) -> str:
    """Run a Python program in a room, started through ``before``, and return what it printed."""
    done = run([*before, *command([sys.executable, "-c", textwrap.dedent(program)])], **options)
    assert (0, "") == (done.returncode, done.stderr), done
    return done.stdout.strip()


def told(done: subprocess.CompletedProcess[str]) -> str:
    """Return the message of a refusal: exit code 2, one JSON line, no traceback."""
    assert (2, "") == (done.returncode, done.stderr), done
    answer = json.loads(done.stdout)
    assert "room" == answer["error"]
    return str(answer["message"])


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rooms make their folders in the test's own place."""
    place = tmp_path / "rooms"
    place.mkdir()
    place.chmod(0o777)
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", str(place))


def folders() -> list[Path]:
    """Return the folders of rooms that exist."""
    return [*Path(tempfile.gettempdir()).iterdir()]


def wait_for(condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds, at most our patience."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def alive(word: str) -> bool:
    """Whether a process exists that has this word among its arguments."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if (
                word.encode() in entry.read_bytes().split(b"\0")
                and "Z" not in (entry.parent / "stat").read_text().split()[2]
            ):
                return True
        except (FileNotFoundError, ProcessLookupError):
            continue
    return False


def test_it_runs_a_command_with_our_streams_and_its_exit_code() -> None:
    """Input, output and the code pass through; the room's folder is gone afterwards."""
    done = run(command(["sh", "-c", "read word; echo got $word; exit 7"]), input="this\n")
    assert (7, "got this\n") == (done.returncode, done.stdout)
    assert [] == folders()


def test_names_come_from_our_server_and_the_rooms_own_files() -> None:
    """One server, nothing that gives up or asks twice, no search; files before DNS; one name in the hosts file alone."""
    said = inside(
        f"""
        import socket
        print(open('/etc/resolv.conf').read(), open('/etc/nsswitch.conf').read())
        print(socket.gethostbyname({HOSTS_NAME!r}), socket.gethostbyname('localhost'))
        """
    )
    assert "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n" in said
    assert "hosts: files dns\n" in said
    assert "search" not in said
    assert f"{HOSTS_ADDRESS} 127.0.0.1" == said.splitlines()[-1]


def test_nothing_of_the_machine_changes() -> None:
    """What is mounted inside is not seen outside."""
    before = Path("/etc/resolv.conf").read_bytes(), Path("/proc/self/mountinfo").read_bytes()
    assert Path("/etc/resolv.conf").read_text() != inside("print(open('/etc/resolv.conf').read())")
    assert before == (Path("/etc/resolv.conf").read_bytes(), Path("/proc/self/mountinfo").read_bytes())


def test_only_loopback_exists_and_it_is_up() -> None:
    """No other interface, so nothing can leave the room; both loopback addresses answer."""
    said = inside(
        """
        import socket
        print([name for _, name in socket.if_nameindex()])
        with socket.socket() as server:
            server.bind(('127.0.0.1', 53)); server.listen()
            socket.create_connection(('127.0.0.1', 53)).close()
        """
    )
    assert "['lo']" == said


def test_proc_shows_the_rooms_processes_alone() -> None:
    """The first process, and the command: process ids are the room's, so threads can be read."""
    said = inside(
        """
        import os
        print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit())[0], os.getpid() < 50, os.path.exists(f'/proc/{os.getpid()}/task'))
        print(len([n for n in os.listdir('/proc') if n.isdigit()]))
        """
    )
    assert ["1 True True", "2"] == said.splitlines()


def test_two_rooms_at_a_time_do_not_meet() -> None:
    """Each has its own port 53."""
    argv = command(["sh", "-c", "echo open; read word"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    rooms = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        for _ in range(2)
    ]
    for room in rooms:
        assert room.stdout is not None
        assert "open\n" == room.stdout.readline()
    for room in rooms:
        room.communicate("end\n", timeout=PATIENCE)
    assert [0, 0] == [room.returncode for room in rooms]


def test_the_scratch_folder_ends_with_the_room() -> None:
    """It is in memory, and nothing of it is ever seen outside."""
    where = Path(
        inside("import os, tempfile; d = tempfile.mkdtemp(); open(d + '/file', 'w'); print(os.environ['TMPDIR'])")
    )
    assert where.parent.name.startswith("fourthreads-")
    assert not where.parent.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_when_the_doorkeeper_is_told_to_end_or_killed_nothing_is_left(number: signal.Signals) -> None:
    """The command ends, also children that left its session; after force, the room's own clean-up removes the folder."""
    word = f"{600 + number}.{os.getpid()}"
    argv = command(["sh", "-c", f"setsid sleep {word} & echo open; exec sleep {word}"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment, text=True) as doorkeeper:
        assert doorkeeper.stdout is not None
        assert "open\n" == doorkeeper.stdout.readline()
        assert wait_for(lambda: alive(word))
        doorkeeper.send_signal(number)
        doorkeeper.wait(PATIENCE)
    assert wait_for(lambda: not alive(word))
    ROOM.remove(doorkeeper)  # type: ignore[arg-type]  # text or bytes, only its id counts
    assert [] == folders()


#: A room whose first process is told to end while it still furnishes: no command runs yet that could be told.
EARLY = """
import os, signal, sys
from labs import room_namespace
room_namespace.check_names = lambda: os.kill(os.getpid(), signal.SIGTERM)
sys.exit(room_namespace.main(["--", "sleep", "1000"]))
"""


def test_a_stop_that_comes_while_the_room_is_furnished_is_not_lost() -> None:
    """The command ends as soon as it is there."""
    assert 128 + signal.SIGTERM == run([sys.executable, "-c", EARLY]).returncode
    assert [] == folders()


def test_a_program_that_is_not_there_is_said_so() -> None:
    """A sentence, no traceback."""
    assert "no program 'no-such-program'" in told(run(command(["no-such-program"])))


def test_a_user_without_rights_can_open_it() -> None:
    """In a user namespace of one's own; inside, port 53 can be bound and the names reach our server (or it had not opened)."""
    said = inside("import os; print(os.getuid(), open('/proc/self/uid_map').read().split())", *POWERLESS)
    assert "0 ['0', '1000', '1']" == said


@pytest.mark.root
def test_an_ordinary_user_can_open_it(tmp_path: Path) -> None:
    """A real one: nobody, with no group, started by root."""
    packages = [str(ROOT), *(path for path in sys.path if path.endswith("-packages"))]
    options = {
        "user": NOBODY, "group": NOBODY, "extra_groups": [],
        "env": {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(packages), "PYTHONDONTWRITEBYTECODE": "1"},
    }  # fmt: skip
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            subprocess.run([python, "-c", "import msgspec"], check=True, capture_output=True, **options)  # type: ignore[call-overload]
            break
        except (PermissionError, FileNotFoundError, subprocess.CalledProcessError):
            continue
    else:
        pytest.fail(
            f"{sys.executable} is out of reach for user {NOBODY}, and so is the system's Python; link .venv to one that is not"
        )
    done = run([python, "-m", "labs.room_namespace", "--", "cat", "/etc/resolv.conf", "/proc/self/uid_map"], **options)
    assert 0 == done.returncode, done
    assert done.stdout.startswith("nameserver 127.0.0.1\n")
    assert ["0", str(NOBODY), "1"] == done.stdout.split()[-3:]


# Machines that are furnished in other ways


def elsewhere(prepare: str) -> tuple[str, ...]:
    """Return the start of a command that runs the rest where ``prepare`` (shell) changed the mounts. For root."""
    return ("unshare", "--mount", "sh", "-ec", f'{textwrap.dedent(prepare)}\nexec "$@"', "sh")


WRITABLE_ETC = """
mount -t tmpfs none /mnt && mkdir /mnt/above /mnt/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/above,workdir=/mnt/work /etc
"""


@pytest.mark.root
@pytest.mark.parametrize(
    "change",
    [
        "ln -sf ../mnt/stub.conf /etc/resolv.conf; echo nameserver 192.0.2.1 > /mnt/stub.conf",
        "ln -sf /nowhere/resolv.conf /etc/resolv.conf",
        "rm /etc/resolv.conf /etc/nsswitch.conf",
        "printf 'search example.test\\nnameserver 192.0.2.1\\n' > /etc/resolv.conf; echo 'hosts: dns' > /etc/nsswitch.conf",
    ],
    ids=["link", "link to nowhere", "no files", "other contents"],
)
def test_it_opens_however_the_machine_finds_names(change: str) -> None:
    """A link as systemd makes it, a link to nowhere, no files at all, a search list: inside, all are the same."""
    said = inside("print(open('/etc/resolv.conf').read())", *elsewhere(WRITABLE_ETC + change))
    assert "nameserver 127.0.0.1\noptions timeout:30 attempts:1" == said


#: Answers every name with 192.0.2.9, as a name-service cache would (glibc, nscd/nscd-client.h: GETAI is 14).
CACHE = """
import socket, struct, sys, threading, subprocess, os
listening = socket.socket(socket.AF_UNIX); listening.bind('/run/nscd/socket'); listening.listen(16)
os.chmod('/run/nscd/socket', 0o666)
def answer(one):
    head = one.recv(12)
    version, kind, length = struct.unpack('iii', head)
    one.recv(length)
    if kind == 14:
        one.sendall(struct.pack('iiiiii', 2, 1, 1, 4, 6, 0) + bytes([192, 0, 2, 9]) + bytes([2]) + b'cache\\0')
    one.close()
def serve():
    while True:
        answer(listening.accept()[0])
threading.Thread(target=serve, daemon=True).start()
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


@pytest.mark.root
def test_a_name_service_cache_of_the_machine_does_not_answer_in_the_room(tmp_path: Path) -> None:
    """Outside of the room the cache answers first; inside, names reach our server (the sentinel proves it)."""
    cache = tmp_path / "cache.py"
    cache.write_text(CACHE)
    prepare = "mount -t tmpfs none /run && mkdir /run/nscd"
    look = "import socket; print(socket.getaddrinfo('one.test', None)[0][4][0])"
    start = (*elsewhere(prepare), sys.executable, str(cache))
    outside = run([*start, sys.executable, "-c", look])
    assert "192.0.2.9\n" == outside.stdout, outside
    listing = inside("import os; print(os.listdir('/run/nscd'))", *start)
    assert "[]" == listing


def test_names_that_do_not_reach_our_server_keep_the_room_shut() -> None:
    """The message names the sentinel, what the lookup said, and the usual culprit."""
    said = inside(
        """
        from labs import nameserver, resolver
        from labs.errors import RoomError
        with resolver.HoldingServer() as server:
            try:
                nameserver.check_names(lambda name: False)
            except RoomError as problem:
                print(problem)
        """
    )
    assert "never reached 127.0.0.1:53" in said
    assert "The lookup said: 127.0.0.1." in said
    assert "nscd" in said


# Kernels that forbid it

#: Refuses mount(2) with EPERM, then runs the rest: as the distributions do that let unshare succeed and refuse the mount.
NO_MOUNT = """
import ctypes, os, platform, struct, sys
number = {'x86_64': 165, 'aarch64': 40}[platform.machine()]
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *rule) for rule in rules))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(len(rules), ctypes.addressof(code)))) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_kernel_that_lets_unshare_pass_and_refuses_the_mount_is_named() -> None:
    """Which step, what the kernel said, what holds us, and what else works; nothing is left."""
    message = told(run([sys.executable, "-c", NO_MOUNT, *command(["true"])]))
    assert "the kernel refused a private mount namespace" in message
    assert "(Operation not permitted)" in message
    assert "seccomp" in message
    assert 'room="container"' in message
    assert [] == folders()


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv (util-linux) is needed to give up rights")
def test_a_kernel_that_allows_no_user_namespaces_is_named() -> None:
    """The limit and its setting are in the message."""
    shut = 'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"'
    start = ("unshare", "--user", "--map-root-user", "sh", "-ec", shut, "sh")
    message = told(run([*start, *command(["true"])]))
    assert "the kernel refused a user namespace (unshare) (No space left on device)" in message
    assert "user.max_user_namespaces, here 0" in message
    assert 'room="container"' in message


def test_apparmor_and_debians_switch_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by the setting that an administrator can change."""
    settings = {"kernel/apparmor_restrict_unprivileged_userns": "1"}
    monkeypatch.setattr(room_namespace, "_setting", settings.get)
    assert "kernel.apparmor_restrict_unprivileged_userns is 1" in str(
        explained(Refused("mounting /proc", errno.EACCES))
    )
    settings.clear()
    settings["kernel/unprivileged_userns_clone"] = "0"
    assert "kernel.unprivileged_userns_clone is 0" in str(explained(Refused("a user namespace", errno.EPERM)))


def test_other_systems_are_told_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """No attempt is made."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert (False, 'A container needs none of this: room="container".') == (offers().ok, offers().remedy)
    assert "Linux namespaces" in str(ROOM.problem())


def test_the_machines_port_53_is_not_taken() -> None:
    """A room that is open leaves ours alone."""
    argv = command(["sh", "-c", "echo open; read word"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True) as room:
        assert room.stdout is not None
        assert "open\n" == room.stdout.readline()
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asking, pytest.raises(ConnectionRefusedError):
            asking.connect(("127.0.0.1", 53))
        room.communicate("end\n", timeout=PATIENCE)
