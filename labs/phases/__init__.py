"""The lab ``phases``: in which order do callbacks run?"""
