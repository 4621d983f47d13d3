# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] nbgrader={"grade_id": "places-01-title", "locked": true}
# # Loop, pool or kernel: where does a call wait?
#
# Names and callbacks do not tell. So you will take something away from Node, first every slot of its pool, then everybody at the
# other end, and look who comes back all the same. It takes about 30 minutes, and you can stop after any step.
#
# **Been here before?** Run `places.skip()` in a new cell below step 2. If you solve step 17 at the first try, steps 4 to 13
# count as done.

# %% [markdown] nbgrader={"grade_id": "places-02-text", "locked": true}
# ## 2 · Ready?

# %% nbgrader={"grade_id": "places-02-ready", "locked": true}
from course import lab

places = lab("places")

# %% [markdown] nbgrader={"grade_id": "places-03-text", "locked": true}
# ## 3 · Warm up
#
# What do you remember of `gates` and `phases`? Run each cell as it is to read its question, in the numbers of your own record where
# there is one. Nothing is earned here; you may go on without it.

# %% nbgrader={"grade_id": "places-03-recall-gates", "solution": true}
places.recall("gates", ...)

# %% nbgrader={"grade_id": "places-03-recall-phases", "solution": true}
places.recall("phases", ...)

# %% [markdown] nbgrader={"grade_id": "places-04-program", "locked": true}
# ## 4 · Three places
#
# **L**: the loop does it itself, in the one thread that runs your JavaScript. **P**: a slot of the pool is needed. **K**: the
# kernel wakes the loop when the other end (a server, a child, whoever changes a file) has done something.
#
# A call's *path* is its letters in order: `P`, or `KP` if it first waited for the kernel and then for a slot.

# %% [markdown] nbgrader={"grade_id": "places-05-text", "locked": true}
# ## 5 · Your first bet
#
# Run the cell as it is to see your six calls. Then put a path in place of each `...`.

# %% nbgrader={"grade_id": "places-05-predict-six", "solution": true}
places.predict(
    "six",
    paths=[
        ...,  # a
        ...,  # b
        ...,  # c
        ...,  # d
        ...,  # e
        ...,  # f
    ],
    sure=...,  # if you like: "guess", "think" or "bet"
)

# %% [markdown] nbgrader={"grade_id": "places-06-text", "locked": true}
# ## 6 · Look
#
# Each call is made alone, then with every slot held by a gate, then with every other end silent.

# %% nbgrader={"grade_id": "places-06-measure-six", "locked": true}
places.measure("six")

# %% [markdown] nbgrader={"grade_id": "places-07-text", "locked": true}
# ## 7 · How we know
#
# **Mira** had given `http.get('http://localhost')` a K. In her record, with 3 slots, its line is
# `0 -> 3   stayed away   stayed away   PK`. She reads it from the left:
#
# > Made alone, it had three pool threads made: something in it uses the pool. With every slot held it stayed away: it needs
# > a slot. With its server silent it stayed away too, though slots were free: it also waits for the server. With the slots held
# > the server had heard nothing of it, so the slot comes first: PK. The address made no thread. The difference is the name:
# > somebody must look it up.

# %% nbgrader={"grade_id": "places-07-evidence", "locked": true}
places.evidence("six")

# %% [markdown] nbgrader={"grade_id": "places-08-text", "locked": true}
# ## 8 · Six more
#
# `fs.watchFile` is asked about a file that is not there: then it calls back once, to say so. `spawn` calls back when its child has
# ended. Two places are possible here too.

# %% nbgrader={"grade_id": "places-08-predict-six-more", "solution": true}
places.predict(
    "six more",
    paths=[
        ...,  # a
        ...,  # b
        ...,  # c
        ...,  # d
        ...,  # e
        ...,  # f
    ],
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "places-09-text", "locked": true}
# ## 9 · Look again

# %% nbgrader={"grade_id": "places-09-measure-six-more", "locked": true}
places.measure("six more")

# %% nbgrader={"grade_id": "places-09-evidence", "locked": true}
places.evidence("six more")

# %% [markdown] nbgrader={"grade_id": "places-10-text", "locked": true}
# ## 10 · What decides?
#
# Twelve calls, twelve paths. Run the cell as it is to see five sentences. The first try earns 1.5 points, the second half of that.

# %% nbgrader={"grade_id": "places-10-explain-why", "solution": true}
places.explain("why", ...)

# %% nbgrader={"grade_id": "places-why", "grade": true, "locked": true}
places.check("why")

# %% [markdown] nbgrader={"grade_id": "places-11-text", "locked": true}
# ## 11 · In five lines
#
# When the question is settled, the law stands below it, with the place in Node and libuv. Here is your own evidence as a map.

# %% nbgrader={"grade_id": "places-11-plot", "locked": true}
places.plot()

# %% [markdown] nbgrader={"grade_id": "places-12-text", "locked": true}
# ## 12 · Where does the victim go?
#
# `pbkdf2Sync` is on the loop, `pbkdf2` in the pool. The work is the same. So who has to wait for it? Run the cell as it is to
# see who is there, and answer `"timer"`, `"stat"`, `"both"` or `"none"`.

# %% nbgrader={"grade_id": "places-12-predict-victim", "solution": true}
places.predict(
    "victim",
    sync=...,  # with pbkdf2Sync: who waits until a hash is done?
    callback=...,  # with a callback: who waits until a hash is done?
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "places-13-text", "locked": true}
# ## 13 · Look
#
# gzip of 8 MB and `readFile` are measured in the same go; `places.evidence("victim")` shows them.

# %% nbgrader={"grade_id": "places-13-measure-victim", "locked": true}
places.measure("victim")

# %% [markdown] nbgrader={"grade_id": "places-14-text", "locked": true}
# ## 14 · Your service
#
# A machine wrote this service; its comments are its own. `serve` gives each route an order, and sends what it returns. All three
# answers are right, and while one is made nobody else is served.
#
# Read it: what does each comment promise, and does the line below it keep that? Then have all three routes leave the loop, with the
# same answers. Running the cell tries it with one slot, held.

# %% nbgrader={"grade_id": "places-14-script", "solution": true} language="node" magic_args="places"
# import { pbkdf2Sync, createHash } from 'node:crypto';
# import { gzipSync } from 'node:zlib';
#
# serve({
#   async key(order) {        // async, so it does not block
#     return pbkdf2Sync(order.word, order.salt, order.rounds, 32, 'sha512');
#   },
#   page(order) {             // a promise, so it runs in the background
#     return new Promise((done) => setImmediate(() => done(gzipSync(order.page))));
#   },
#   async sum(order) {        // hashing is fast
#     return createHash('sha256').update(order.page).digest();
#   },
# });

# %% [markdown] nbgrader={"grade_id": "places-15-text", "locked": true}
# ## 15 · Your fourth bet
#
# Your service, now with every slot held. A client asks for a route, and right behind it for `/health`.

# %% nbgrader={"grade_id": "places-15-predict-own", "solution": true}
places.predict(
    "own",
    early=...,  # how many of the three routes are answered while every slot is held?
    health=...,  # how many times out of three is /health answered before the route?
    sure=...,
)

# %% [markdown] nbgrader={"grade_id": "places-16-text", "locked": true}
# ## 16 · Measure your service
#
# Each route that has left the loop and still gives its answer earns 0.75 points; 0.75 more if the loop's own thread did at most
# half of the work of `key` and of `page`. The four bets together earn 2, whatever you bet.

# %% nbgrader={"grade_id": "places-16-measure-own", "locked": true}
places.measure("own")

# %% nbgrader={"grade_id": "places-own-service", "grade": true, "locked": true}
places.check("own-service")

# %% nbgrader={"grade_id": "places-bets", "grade": true, "locked": true}
places.check("bets")

# %% [markdown] nbgrader={"grade_id": "places-17-text", "locked": true}
# ## 17 · Eight lines
#
# Which of them keep the loop standing until they are through? Run the cell as it is to see yours, then put their numbers in place of
# `[...]`. Try as often as you want; `places.hint("lines")` helps. Finding all of them, and no other, earns 1.5 points.

# %% nbgrader={"grade_id": "places-17-measure-lines", "solution": true}
places.measure("lines", stop=[...])

# %% nbgrader={"grade_id": "places-lines", "grade": true, "locked": true}
places.check("lines")

# %% [markdown] nbgrader={"grade_id": "places-18-text", "locked": true}
# ## 18 · What cannot be

# %% nbgrader={"grade_id": "places-18-explain-cannot", "solution": true}
places.explain("cannot", ...)

# %% nbgrader={"grade_id": "places-cannot", "grade": true, "locked": true}
places.check("cannot")

# %% [markdown] nbgrader={"grade_id": "places-19-text", "locked": true}
# ## 19 · On a service
#
# Somebody calls you about a service. Run the cell as it is to hear what happens there.

# %% nbgrader={"grade_id": "places-19-explain-service", "solution": true}
places.explain(
    "service",
    limit=...,  # the largest body to accept, in whole MB
    after=...,  # what will the proposal do? one letter
)

# %% nbgrader={"grade_id": "places-service", "grade": true, "locked": true}
places.check("service")

# %% [markdown] nbgrader={"grade_id": "places-20-text", "locked": true}
# ## 20 · Leave

# %% nbgrader={"grade_id": "places-20-check", "locked": true}
places.check()

# %% [markdown] nbgrader={"grade_id": "places-further", "locked": true}
# ## Further, without points
#
# Each of these is measured by a cell of your own, such as `places.measure("table")`, and shown by `places.evidence("table")`:
#
# - `"table"`: every other call of this lab, measured in one go, with where each path is written down. Before you believe a
#   list in a text, this one too, let your own Node answer.
# - `"parse"`: `JSON.parse` of 1, 3, 6 and 13 MB. What does a limit on the body buy?
# - `"innocent"`: eight ways to spend a moment in a handler, each with an innocent second request behind it.
# - `"trips"`: how often a call comes back to the line. `readFile` is not one request.
# - `"sockets"`: a thousand connections, and the threads they cost.
#
# From memory: `places.recall(...)`.
