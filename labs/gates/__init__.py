"""The lab ``gates``: how many things does Node do at once?"""
