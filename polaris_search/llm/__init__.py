"""Language models behind a chat interface: one client for every OpenAI-compatible server.

`open_chat_model` gives the model that the settings name; `polaris_search.llm.model` says what a
chat model promises. Nothing here knows tables or descriptions.
"""
