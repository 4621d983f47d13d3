"""The lab ``birth``: when is the pool born, how is it sized, what does it cost?"""
