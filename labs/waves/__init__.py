"""The lab ``waves``: what happens to hashes?"""
