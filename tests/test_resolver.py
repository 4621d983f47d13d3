"""The holding name server: what it holds, counts, answers and survives."""

from __future__ import annotations

import json
import random
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.reversename
import pytest

from labs.errors import SetupError
from labs.flight import SENTINEL, Query, history
from labs.resolver import HoldingServer

PATIENCE = 20.0


class Client:
    """Asks one server over UDP; every wait is bounded."""

    def __init__(self, server: HoldingServer) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((server.address, server.port))

    def ask(self, name: str, kind: str = "A") -> None:
        self.socket.send(dns.message.make_query(name, kind).to_wire())

    def answer(self) -> dns.message.Message:
        return dns.message.from_wire(self.socket.recv(4096))

    def nothing_came(self, server: HoldingServer) -> bool:
        """Whether no answer is there, known without waiting: an answered sentinel would have come after it."""
        self.ask("order." + SENTINEL)
        return self.answer().question[0].name.to_text() == f"order.{SENTINEL}."


@pytest.fixture
def server() -> Iterator[HoldingServer]:
    """Run a server on a free port that holds everything until it is told otherwise."""
    with HoldingServer(port=0) as running:
        yield running


@pytest.fixture
def client(server: HoldingServer) -> Iterator[Client]:
    """Run one that asks it."""
    asking = Client(server)
    yield asking
    asking.socket.close()


def addresses(message: dns.message.Message) -> list[str]:
    """Return what an answer holds, as text."""
    return [item.to_text() for rrset in message.answer for item in rrset]


def test_a_and_aaaa_of_one_name_are_one_name_and_two_queries(server: HoldingServer, client: Client) -> None:
    """One getaddrinfo asks both; names in flight count it once, queries in flight twice."""
    client.ask("one.test", "A")
    client.ask("one.test", "AAAA")
    client.ask("two.test", "A")
    state = server.wait_until(lambda seen: seen.queries == 3, PATIENCE)
    assert ("one.test", "two.test") == state.names
    assert (2, 3) == (state.peak_names, state.peak_queries)


def test_names_are_compared_without_case(server: HoldingServer, client: Client) -> None:
    """Upper and lower case are one name, and the answer repeats the question as it was written."""
    client.ask("One.Test")
    client.ask("one.test")
    assert ("one.test",) == server.wait_until(lambda seen: seen.queries == 2, PATIENCE).names
    server.release("ONE.test.")
    assert "One.Test." == client.answer().question[0].name.to_text()


def test_a_held_query_is_answered_when_its_name_is_released(server: HoldingServer, client: Client) -> None:
    """Nothing is answered before; the other name stays in flight."""
    client.ask("one.test")
    client.ask("two.test")
    server.wait_until(lambda seen: seen.queries == 2, PATIENCE)
    assert client.nothing_came(server)
    server.release("two.test")
    answer = client.answer()
    assert "two.test." == answer.question[0].name.to_text()
    assert ("one.test",) == server.state().names


def test_release_without_names_answers_everything(server: HoldingServer, client: Client) -> None:
    """All names at once."""
    for name in ("one.test", "two.test", "three.test"):
        client.ask(name)
    server.wait_until(lambda seen: seen.queries == 3, PATIENCE)
    server.release()
    assert () == server.state().names
    assert 3 == len([client.answer() for _ in range(3)])


def test_the_answer_is_a_loopback_address_that_nobody_may_keep(server: HoldingServer, client: Client) -> None:
    """TTL 0, authoritative; AAAA is empty without an error, so getaddrinfo ends with one clean address."""
    server.hold(0)
    client.ask("one.test", "A")
    answer = client.answer()
    assert ["127.0.0.1"] == addresses(answer)
    assert 0 == answer.answer[0].ttl
    client.ask("one.test", "AAAA")
    empty = client.answer()
    assert (dns.rcode.NOERROR, []) == (empty.rcode(), addresses(empty))


def test_a_set_hold_is_never_shorter_than_asked(server: HoldingServer, client: Client) -> None:
    """The log's own times show it; load can only make a hold longer."""
    server.hold(0.05)
    client.ask("one.test")
    client.answer()
    (query,) = server.log()
    assert query.answered is not None
    assert 0.05 <= query.answered - query.arrived


def test_what_is_held_already_lands_a_whole_hold_after_it_was_set(server: HoldingServer, client: Client) -> None:
    """However long it was held before: the clock starts when it is told to."""
    client.ask("one.test")
    server.wait_until(lambda seen: seen.queries == 1, PATIENCE)
    began = time.monotonic()
    server.hold(0.05)
    client.answer()
    (query,) = server.log()
    assert query.answered is not None
    assert 0.05 <= query.answered - began


@pytest.mark.parametrize("ttl", [0, 300])
def test_an_answer_may_be_remembered_for_as_long_as_is_said(ttl: int) -> None:
    """Asked for where it is tried whether anybody does."""
    with HoldingServer(port=0, hold=0, ttl=ttl) as server:
        client = Client(server)
        client.ask("one.test")
        assert ttl == client.answer().answer[0].ttl
        client.socket.close()


def test_it_answers_from_a_table() -> None:
    """A name of the table has its addresses, of either family; an empty entry and an unknown name do not exist."""
    table = {"here.test": ["127.0.0.5", "::1"], "gone.test": []}
    with HoldingServer(port=0, hold=0, table=table, default=()) as server:
        client = Client(server)
        for name, kind, expected in (
            ("here.test", "A", (dns.rcode.NOERROR, ["127.0.0.5"])),
            ("here.test", "AAAA", (dns.rcode.NOERROR, ["::1"])),
            ("gone.test", "A", (dns.rcode.NXDOMAIN, [])),
            ("other.test", "A", (dns.rcode.NXDOMAIN, [])),
        ):
            client.ask(name, kind)
            answer = client.answer()
            assert expected == (answer.rcode(), addresses(answer))
        server.answers({"other.test": ["127.0.0.6"]})
        client.ask("other.test")
        assert ["127.0.0.6"] == addresses(client.answer())
        client.socket.close()


def test_the_name_of_an_address_is_held_like_any_other(server: HoldingServer, client: Client) -> None:
    """lookupService asks PTR: one name in flight, answered with a host name."""
    name = dns.reversename.from_address("127.0.0.9").to_text()
    client.ask(name, "PTR")
    assert (name.rstrip("."),) == server.wait_until(lambda seen: seen.queries == 1, PATIENCE).names
    server.release()
    assert ["host-127-0-0-9.test."] == addresses(client.answer())


def test_a_silent_server_counts_and_answers_nothing(server: HoldingServer, client: Client) -> None:
    """As a name server that died; what came due or was released meanwhile is answered when it speaks again."""
    server.silence()
    client.ask("one.test")
    client.ask("two.test")
    assert 2 == server.wait_until(lambda seen: seen.queries == 2, PATIENCE).peak_names
    server.release("one.test")
    assert client.nothing_came(server)
    assert server.state().silent
    server.silence(False)
    assert "one.test." == client.answer().question[0].name.to_text()
    assert ("two.test",) == server.state().names


def test_a_hold_that_ends_in_silence_is_answered_after_it(server: HoldingServer, client: Client) -> None:
    """The timer's end is remembered."""
    server.hold(0)
    server.silence()
    client.ask("one.test")
    server.wait_until(lambda seen: seen.queries == 1, PATIENCE)
    server.silence(False)
    assert "one.test." == client.answer().question[0].name.to_text()


def test_reset_answers_what_is_held_and_counts_anew(server: HoldingServer, client: Client) -> None:
    """Also when silent: nobody is left waiting for the run before."""
    client.ask("one.test")
    server.wait_until(lambda seen: seen.queries == 1, PATIENCE)
    server.silence()
    server.reset()
    client.answer()
    state = server.state()
    assert ((), 0, (), ()) == (state.names, state.peak_names, state.seen, server.log())


def test_a_sentinel_is_answered_at_once_and_never_counted(server: HoldingServer, client: Client) -> None:
    """It proves that the room's names come here, and leaves no trace in the counts."""
    name = f"room-17.{SENTINEL}"
    assert not server.reached_by(name)
    client.ask(name)
    assert ["127.0.0.1"] == addresses(client.answer())
    assert server.reached_by(name)
    assert (0, ()) == (server.state().peak_names, server.log())


def test_the_history_tells_names_and_queries_over_time() -> None:
    """An arrival and an answer at one time: the arrival comes first, as a slot is free only after the answer."""
    log = [Query("a", "A", 1.0, 3.0), Query("a", "AAAA", 1.5, 4.0), Query("b", "A", 3.0, None)]
    assert ((1.0, 1, 1), (1.5, 1, 2), (3.0, 2, 3), (3.0, 2, 2), (4.0, 1, 1)) == history(log)


def test_rest_can_be_told_from_change(server: HoldingServer, client: Client) -> None:
    """Two equal values of `changes` mean that nothing arrived and nothing was answered between."""
    before = server.state().changes
    assert before == server.state().changes
    client.ask("one.test")
    assert before + 1 == server.wait_until(lambda seen: seen.queries == 1, PATIENCE).changes
    server.release()
    assert before + 2 == server.state().changes


def test_packets_that_are_no_question_do_no_harm(server: HoldingServer, client: Client) -> None:
    """Random bytes, cut and changed packets, answers, many questions: counted, and the next question is answered."""
    dice = random.Random(4)
    good = dns.message.make_query("one.test", "A").to_wire()
    bad = [b"", b"\0", good[:11], good[:-1], dice.randbytes(12), dice.randbytes(512), good[:12] + b"\xc0\x0c" * 4]
    for _ in range(200):
        changed = bytearray(good)
        changed[dice.randrange(len(good))] = dice.randrange(256)
        bad.append(bytes(changed))
    for packet in bad:
        client.socket.send(packet)
    client.ask("last.test")
    state = server.wait_until(lambda seen: "last.test" in seen.names, PATIENCE)
    assert state.malformed > 0
    server.reset()
    client.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        while True:
            client.socket.recv(4096)
    client.socket.settimeout(PATIENCE)
    server.hold(0)
    client.ask("after.test")
    assert ["127.0.0.1"] == addresses(client.answer())


def test_what_it_does_not_serve_is_refused_politely(server: HoldingServer, client: Client) -> None:
    """Two questions are a format error, another operation is not implemented; an answer gets no answer."""
    two = dns.message.make_query("one.test", "A")
    two.question.append(dns.message.make_query("two.test", "A").question[0])
    client.socket.send(two.to_wire())
    assert dns.rcode.FORMERR == client.answer().rcode()
    status = dns.message.make_query("one.test", "A")
    status.set_opcode(dns.opcode.STATUS)
    client.socket.send(status.to_wire())
    assert dns.rcode.NOTIMP == client.answer().rcode()
    client.socket.send(dns.message.make_response(dns.message.make_query("one.test", "A")).to_wire())
    assert client.nothing_came(server)
    assert 0 == server.state().queries


def test_it_serves_tcp_too(server: HoldingServer) -> None:
    """Length before message, several in one connection, held and counted the same way."""
    with socket.create_connection((server.address, server.port), timeout=PATIENCE) as stream:
        for name in ("one.test", "two.test"):
            wire = dns.message.make_query(name, "A").to_wire()
            stream.sendall(struct.pack("!H", len(wire)) + wire)
        assert ("one.test", "two.test") == server.wait_until(lambda seen: seen.queries == 2, PATIENCE).names
        server.release("two.test")
        reader = stream.makefile("rb")
        (length,) = struct.unpack("!H", reader.read(2))
        assert ["127.0.0.1"] == addresses(dns.message.from_wire(reader.read(length)))
        assert "tcp" == server.log()[0].transport
        reader.close()


def test_a_burst_of_a_thousand_queries_is_counted_whole(server: HoldingServer) -> None:
    """Sent faster than they are read; none may be lost."""
    asking = [Client(server) for _ in range(10)]
    for index in range(1000):
        asking[index % 10].ask(f"name-{index}.test")
    assert 1000 == server.wait_until(lambda seen: seen.queries == 1000, PATIENCE).peak_names
    for one in asking:
        one.socket.close()


def test_an_address_in_use_is_said_so(server: HoldingServer) -> None:
    """The message names address, port and what to do."""
    second = HoldingServer(server.address, server.port)
    with pytest.raises(SetupError, match=rf"cannot listen on 127.0.0.1 port {server.port}.*room namespace"), second:
        pass


def test_as_a_program_it_obeys_a_pipe() -> None:
    """The same verbs, one JSON object a line; the end of the input ends it."""
    argv = [sys.executable, "-m", "labs.resolver", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        listening = json.loads(program.stdout.readline())["listening"]
        host, _, port = listening.rpartition(":")
        asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        asking.settimeout(PATIENCE)
        asking.connect((host, int(port)))

        def tell(**command: object) -> object:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write(json.dumps(command) + "\n")
            program.stdin.flush()
            return json.loads(program.stdout.readline())

        assert {"done": "hold"} == tell(do="hold", seconds=0)
        asking.send(dns.message.make_query("one.test", "A").to_wire())
        assert ["127.0.0.1"] == addresses(dns.message.from_wire(asking.recv(4096)))
        state = tell(do="state")
        assert isinstance(state, dict)
        assert ["one.test"] == state["seen"]
        refused = tell(do="dance")
        assert isinstance(refused, dict)
        assert "known are" in refused["error"]
        program.stdin.close()
        assert 0 == program.wait(PATIENCE)
        asking.close()


def test_as_a_program_it_says_what_it_cannot_do() -> None:
    """Exit code 2 and one line; no traceback."""
    argv = [sys.executable, "-m", "labs.resolver", "--listen", "127.0.0.1:many"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert 2 == done.returncode
    assert "cannot be read" in json.loads(done.stdout)["error"]
    assert "" == done.stderr
