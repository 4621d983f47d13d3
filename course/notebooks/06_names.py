# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] nbgrader={"grade_id": "names-01-title", "locked": true}
# # Why do two lookups run on four threads?
#
# Before Node can speak with a host it must turn the host's name into an address. You will run a name server that answers when
# you say so, and count what waits for it. About 30 minutes; you can stop after any step.
#
# **Been here before?** Run `names.skip()` in a new cell below step 2. If you solve step 15 at the first try, steps 4 to 14
# count as done.

# %% [markdown] nbgrader={"grade_id": "names-02-text", "locked": true}
# ## 2 · Ready?
#
# This lab needs a room with a name server of its own. The cell says which one you have.

# %% nbgrader={"grade_id": "names-02-ready", "locked": true}
from course import lab

names = lab("names")

# %% [markdown] nbgrader={"grade_id": "names-03-text", "locked": true}
# ## 3 · Warm up
#
# What do you remember of `gates` and `places`? Run each cell as it is: it asks with the numbers of your own record, where there is
# one. Nothing is earned here; you may go on without it.

# %% nbgrader={"grade_id": "names-03-recall-gates", "solution": true}
names.recall("gates", ...)

# %% nbgrader={"grade_id": "names-03-recall-places", "solution": true}
names.recall("places", ...)

# %% [markdown] nbgrader={"grade_id": "names-04-program", "locked": true}
# ## 4 · The program
#
# ```js
# for (let i = 1; i <= names; i++) {
#   dns.lookup(`name-${i}.test`, () => done(`name-${i}`));
# }
# for (let i = 1; i <= 10; i++) fs.stat('.', () => done(`stat-${i}`));
# ```
#
# Many names, then ten small file requests, all asked for in one go. The name server takes every question and answers none. A
# name whose question has arrived there is *in flight*. The pool has its usual four threads.

# %% [markdown] nbgrader={"grade_id": "names-05-text", "locked": true}
# ## 5 · Your first bet
#
# You know a law from `gates`: one line, and a slot that comes free takes the first of it. What does it say here?

# %% nbgrader={"grade_id": "names-05-predict-start", "solution": true}
names.predict(
    "start",
    flying=...,  # how many names are at the name server right now?
    back=...,  # how many of the ten small requests behind them are back?
    sure=...,  # if you like: "guess", "think" or "bet"
)

# %% [markdown] nbgrader={"grade_id": "names-06-text", "locked": true}
# ## 6 · Look

# %% nbgrader={"grade_id": "names-06-measure-start", "locked": true}
names.measure("start")

# %% [markdown] nbgrader={"grade_id": "names-07-text", "locked": true}
# ## 7 · How we know
#
# A line for each thread, and what the name server has. **Tomas** had bet on four, and none back. He reads:
#
# > Two workers are in `poll`: each has sent its questions and waits at its own socket. The other two are not busy with
# > something else, they are parked. So it is not that there was no thread for name 3. There were two, and neither took it. Somebody
# > has told them not to.

# %% nbgrader={"grade_id": "names-07-evidence", "locked": true}
names.evidence("start")

# %% [markdown] nbgrader={"grade_id": "names-08-text", "locked": true}
# ## 8 · Your second bet
#
# Told what, exactly? Now the size is yours. The names run once alone, and once behind gates that were asked for before them: each
# gate holds a slot for as long as it is shut. Run the cell as it is to see your numbers.

# %% nbgrader={"grade_id": "names-08-predict-own", "solution": true}
names.predict(
    "own",
    alone=...,  # names in flight, where nothing else wants a slot
    beside=...,  # names in flight, where the gates were first
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "names-09-text", "locked": true}
# ## 9 · Look

# %% nbgrader={"grade_id": "names-09-measure-own", "locked": true}
names.measure("own")

# %% [markdown] nbgrader={"grade_id": "names-10-text", "locked": true}
# ## 10 · Why?
#
# Five sentences; one fits both records.

# %% nbgrader={"grade_id": "names-10-explain-why", "solution": true}
names.explain("why", ...)

# %% nbgrader={"grade_id": "names-why", "grade": true, "locked": true}
names.check("why")

# %% [markdown] nbgrader={"grade_id": "names-11-text", "locked": true}
# ## 11 · In five lines
#
# They stand under the question above when it is settled, with the lines of libuv that do it. Here are your own records.

# %% nbgrader={"grade_id": "names-11-plot", "locked": true}
names.plot()

# %% [markdown] nbgrader={"grade_id": "names-12-text", "locked": true}
# ## 12 · Your third bet
#
# A pool of one thread, then a pool of two. The same program, with fewer names. What does the second thread buy: for names, and for
# the ten small requests?

# %% nbgrader={"grade_id": "names-12-predict-second", "solution": true}
names.predict(
    "second",
    names=...,  # how many more names are in flight with two threads
    files=...,  # how many more of the ten small requests are back
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "names-13-text", "locked": true}
# ## 13 · Look

# %% nbgrader={"grade_id": "names-13-measure-second", "locked": true}
names.measure("second")

# %% [markdown] nbgrader={"grade_id": "names-14-text", "locked": true}
# ## 14 · The line
#
# Four lines from the source of libuv. Read them with 1 and with 2 in mind.

# %% nbgrader={"grade_id": "names-14-explain-source", "solution": true}
names.explain("source", ...)

# %% nbgrader={"grade_id": "names-source", "grade": true, "locked": true}
names.check("source")

# %% [markdown] nbgrader={"grade_id": "names-15-text", "locked": true}
# ## 15 · Bring it about
#
# Free slots, and names that wait beside them. Run the cell as it is to see what is wanted. Then choose the size of the pool, and how
# many gates are asked for before the names. Attempts cost nothing.

# %% nbgrader={"grade_id": "names-15-measure-state", "solution": true}
names.measure("state", pool=..., held=...)

# %% nbgrader={"grade_id": "names-state", "grade": true, "locked": true}
names.check("state")

# %% [markdown] nbgrader={"grade_id": "names-16-text", "locked": true}
# ## 16 · What cannot be
#
# Four states. Three can be seen at rest, one never can.

# %% nbgrader={"grade_id": "names-16-explain-cannot", "solution": true}
names.explain("cannot", ...)

# %% nbgrader={"grade_id": "names-cannot", "grade": true, "locked": true}
names.check("cannot")

# %% [markdown] nbgrader={"grade_id": "names-17-text", "locked": true}
# ## 17 · Your fourth bet
#
# A name server has died, and names that it should answer hang. Who else suffers? Five requests stand behind those names. Run
# the cell as it is to read them in your order.

# %% nbgrader={"grade_id": "names-17-predict-through", "solution": true}
names.predict(
    "through",
    back=[...],  # which of the five are back while the names hang? a list of numbers; [] if none
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "names-18-text", "locked": true}
# ## 18 · Look

# %% nbgrader={"grade_id": "names-18-measure-through", "locked": true}
names.measure("through")

# %% [markdown] nbgrader={"grade_id": "names-19-text", "locked": true}
# ## 19 · Your own lookup
#
# Node remembers no answer: each new connection to a name asks again, and takes a name slot for it. `net` and `http` let you bring
# a `lookup` of your own. Give it a memory: ask once a name, however many visits come at once, and let a failure be asked again.
# The line that calls back is given. `names.hint("cache")` helps.

# %% nbgrader={"grade_id": "names-19-script", "solution": true} language="node" magic_args="names"
# import dns from 'node:dns';
#
# const kept = new Map();   // name -> what you have of it
#
# // Called for each new connection. With options.all (net sets it, from Node 20 on) the callback
# // wants a list of { address, family }, else one address: answer(list) does both.
# function lookup(name, options, callback) {
#   const answer = (list) =>
#     options.all ? callback(null, list) : callback(null, list[0].address, list[0].family);
#   // your cache here; without one, every visit asks:
#   dns.lookup(name, { all: true }, (problem, list) => problem ? callback(problem) : answer(list));
# }
#
# visit(lookup);   // ours: the visits

# %% [markdown] nbgrader={"grade_id": "names-20-text", "locked": true}
# ## 20 · Your fifth bet
#
# The dry run never visited a host twice at the same moment. Now many visits of each come at once. A lookup counts once, though it
# sends two questions here.

# %% nbgrader={"grade_id": "names-20-predict-cache", "solution": true}
names.predict(
    "cache",
    asked=...,  # how many lookups reach the name server, in both rounds together?
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "names-21-text", "locked": true}
# ## 21 · Measure your lookup
#
# Lookups are counted at the name server, visits at the visited hosts. Change your script in step 19 and come back as often as you like.

# %% nbgrader={"grade_id": "names-21-measure-cache", "locked": true}
names.measure("cache")

# %% nbgrader={"grade_id": "names-own-lookup", "grade": true, "locked": true}
names.check("own-lookup")

# %% nbgrader={"grade_id": "names-bets", "grade": true, "locked": true}
names.check("bets")

# %% [markdown] nbgrader={"grade_id": "names-22-text", "locked": true}
# ## 22 · What each way costs
#
# Five ways to the same host, measured in one go. Put in how many visits each way shall make. The last two columns show what a way
# no longer finds.

# %% nbgrader={"grade_id": "names-22-measure-ways", "solution": true}
names.measure("ways", visits=...)

# %% [markdown] nbgrader={"grade_id": "names-23-text", "locked": true}
# ## 23 · An assistant's code
#
# Read it as you would in a review.

# %% nbgrader={"grade_id": "names-23-explain-code", "solution": true}
names.explain(
    "code",
    asked=...,  # how many questions reach the name server?
    lost=...,  # which host is no longer found? one letter
)

# %% nbgrader={"grade_id": "names-code", "grade": true, "locked": true}
names.check("code")

# %% [markdown] nbgrader={"grade_id": "names-24-text", "locked": true}
# ## 24 · On a service
#
# Somebody calls you about a service.

# %% nbgrader={"grade_id": "names-24-explain-service", "solution": true}
names.explain(
    "service",
    dead=...,  # from how many lookups of the dead name at once?
    after=...,  # what will the proposal do? one letter
)

# %% nbgrader={"grade_id": "names-service", "grade": true, "locked": true}
names.check("service")

# %% [markdown] nbgrader={"grade_id": "names-25-text", "locked": true}
# ## 25 · Leave

# %% nbgrader={"grade_id": "names-25-check", "locked": true}
names.check()

# %% [markdown] nbgrader={"grade_id": "names-further", "locked": true}
# ## Further, without points
#
# - `names.measure("sizes")`: the table of an article, for eight sizes of the pool. In flight is counted; the time is that many rounds
#   of what each answer was held.
# - `names.measure(pool=4, held=3)` and `names.measure(pool=4, api="resolve4")`: numbers of your own. `api="mix"` asks for names and for
#   the names of addresses (`dns.lookupService`) by turns; both share the half.
# - Also `server.listen(port, 'localhost')` and a datagram sent to a host name look a name up, and take a name slot.
# - `process.exit()` lets the pool work off its line (see *birth*), but names that wait in it may never be asked for.
# - Other C libraries have other resolvers: they differ in what they ask and how long they wait. The half is libuv's, and stays.
# - From memory: `names.recall(...)`.
