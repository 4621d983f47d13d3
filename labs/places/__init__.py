"""The lab ``places``: does a call wait on the loop, in the pool, or for the kernel?"""
