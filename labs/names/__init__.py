"""The lab ``names``: why do two lookups run on four threads?"""
