"""What users of comparable products met with in their index, and the test that keeps it away here.

The rows are those of the project's list of reports. Each names the tests whose promise is the right
value of the fault; renaming one of them without this list fails.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

REPORTS = {
    # Chinese: a longer query finds fewer tables than a shorter one
    "R8": [
        "contract/test_readers_chinese.py::"
        "test_a_longer_chinese_query_finds_what_a_shorter_one_finds",
    ],
    # JSON under a grammar is cut at the token limit, or fills up with white space
    "E1": [
        "contract/test_describe_served.py::"
        "test_too_few_tokens_end_in_a_whole_description_or_in_a_reason",
        "contract/test_chat_model.py::test_reply_obeys_the_schema_without_free_white_space",
        "unit/test_ingest_describe.py::"
        "test_reply_that_is_cut_twice_fails_and_nothing_of_it_is_kept",
    ],
    # TGI refuses json_object without a value, which OpenAI takes
    "E2": [
        "contract/test_tgi_server.py::"
        "test_json_object_without_a_value_is_refused_in_the_words_of_its_json_reader",
        "unit/test_llm_client.py::test_each_kind_of_server_is_sent_the_schema_in_its_own_shape",
        "unit/test_llm_published_shapes.py::test_the_schema_is_sent_in_the_published_wrapping",
        "contract/test_llm_canary.py::"
        "test_tgi_asked_in_anothers_shape_is_refused_with_the_setting_to_correct",
    ],
    # a wide table and its reply together are longer than the server's limit
    "E3": [
        "contract/test_describe_served.py::"
        "test_three_thousand_columns_fit_a_small_context_and_what_was_left_out_is_said",
        "unit/test_ingest_describe_prompt.py::"
        "test_wide_table_is_shown_in_groups_within_the_budget_none_left_unsaid",
        "unit/test_llm_client.py::test_prompt_that_is_too_long_is_told_apart",
        "unit/test_ingest_expand_llm.py::"
        "test_ten_columns_are_asked_about_at_a_time_and_the_name_with_twenty_five_of_them",
        "unit/test_ingest_expand_llm.py::test_prompt_that_is_too_long_is_halved",
    ],
    # a burst is answered with "Model is overloaded"
    "E4": [
        "contract/test_ingest_faulty_model.py::"
        "test_a_burst_of_five_hundred_gets_through_a_server_that_is_often_full",
        "contract/test_ingest_faulty_model.py::"
        "test_a_third_of_faults_costs_no_table_and_mixes_none",
        "contract/test_tgi_server.py::"
        "test_what_comes_while_it_is_full_is_refused_without_a_time_to_wait",
    ],
    # a wrong adapter is answered by the base model, in silence
    "E5": [
        "contract/test_tgi_server.py::"
        "test_an_adapter_changes_the_text_and_an_unknown_one_is_the_base_without_a_word",
        "e2e/test_cli_faulty_model.py::"
        "test_an_adapter_that_tgi_does_not_know_writes_nothing_in_its_name",
        "e2e/test_cli_faulty_model.py::"
        "test_a_real_model_that_lacks_the_adapter_writes_nothing_in_its_name",
        "contract/test_ingest_faulty_model.py::"
        "test_no_text_of_another_model_is_kept_as_the_adapters",
        "contract/test_llm_canary.py::test_a_wrong_adapter_is_refused_by_what_the_model_writes",
        "unit/test_llm_serving.py::"
        "test_vllm_that_does_not_list_the_adapter_is_refused_with_what_it_lists",
        "unit/test_llm_serving.py::"
        "test_a_reply_under_another_name_than_the_adapters_is_asked_again_and_not_kept",
        "unit/test_judge_adapter.py::"
        "test_an_adapter_that_writes_what_the_base_writes_is_not_in_use_and_is_refused",
        "contract/test_publish_tgi.py::"
        "test_a_tgi_that_nobody_starts_again_answers_as_the_base_and_is_not_believed",
        "contract/test_publish_tgi.py::"
        "test_the_old_adapter_under_the_new_name_is_found_out_by_what_it_writes",
    ],
    # in TGI's chats the adapter is the model's name
    "E6": [
        "contract/test_tgi_server.py::test_in_a_chat_the_model_is_the_adapter_and_tgi_is_the_base",
        "contract/test_chat_model.py::"
        "test_an_adapter_is_asked_for_by_its_name_and_writes_other_text",
    ],
    # what was cached for an adapter is read for another of the same name
    "E7": [
        "contract/test_tgi_server.py::test_base_and_adapter_never_read_each_others_cached_prompt",
        "unit/test_llm_adapters.py::test_a_name_that_is_served_already_is_never_loaded_again",
        "unit/test_llm_adapters.py::test_adapters_made_at_different_times_have_different_names",
        "unit/test_llm_identity.py::test_each_request_to_llamacpp_says_which_adapters_are_on",
        "unit/test_adapters_registry.py::"
        "test_a_name_is_never_used_twice_not_even_after_its_folder_is_gone",
        "unit/test_adapters_registry.py::"
        "test_other_weights_under_a_name_that_was_in_use_never_serve",
    ],
    # a server's default limit refuses an adapter of rank 64
    "E8": [
        "unit/test_llm_adapters.py::test_a_rank_above_the_servers_limit_names_the_flag_to_set",
        "unit/test_llm_published_shapes.py::"
        "test_an_adapter_of_too_high_a_rank_is_told_with_the_flag_to_set",
        "unit/test_publish_vllm.py::"
        "test_an_adapter_that_one_server_refuses_is_taken_back_from_those_that_have_it",
    ],
    # a reply that is cut away whole: loss without sense
    "T1": [
        "contract/test_training_run.py::"
        "test_a_prompt_longer_than_max_length_is_skipped_counted_and_named",
        "contract/test_training_run.py::"
        "test_a_reply_longer_than_max_length_is_cut_counted_and_named",
        "unit/test_training_lengths.py::test_what_a_limit_of_1024_tokens_does_to_a_pair",
    ],
    # a setting that another version of trl does not know
    "T2": [
        "unit/test_training_settings.py::"
        "test_another_trl_transformers_or_peft_than_tested_is_refused_at_the_start",
    ],
    # chosen and rejected are the same text, or their scores a tie
    "T3": [
        "unit/test_training_preferences.py::"
        "test_equal_replies_and_repeated_pairs_are_left_out_and_named",
        "unit/test_trainer_pairs.py::"
        "test_what_a_learner_cannot_tell_apart_makes_no_pair_and_is_counted",
        "unit/test_trainer_pairs.py::test_duplicates_make_one_pair_where_all_pairs_are_asked_for",
    ],
    # the end token pads, is masked with the padding, and the model never stops
    "T5": [
        "contract/test_training_base.py::"
        "test_padding_is_never_the_end_token_so_that_a_model_learns_to_stop",
        "contract/test_training_base.py::test_a_reply_is_trained_with_its_end_token_not_masked",
        "contract/test_training_base.py::test_a_template_that_does_not_end_replies_is_refused",
    ],
    # three packages that only work together
    "T8": [
        "unit/test_training_settings.py::"
        "test_another_trl_transformers_or_peft_than_tested_is_refused_at_the_start",
        "contract/test_training_base.py::"
        "test_a_template_that_renders_a_prompt_otherwise_before_a_reply_is_refused",
    ],
    # a training's reference copy is saved beside the adapter; what it was measured against, unsaid
    "T6": [
        "contract/test_training_run.py::"
        "test_from_current_begins_from_the_adapter_in_use_and_saves_no_copy_of_it",
        "unit/test_adapters_layout.py::"
        "test_the_reference_copy_that_a_training_leaves_is_refused_and_never_served",
        "e2e/test_cli_adapters.py::test_the_saved_folder_with_a_reference_copy_never_gets_in",
        "e2e/test_cli_adapters.py::"
        "test_an_adapter_that_began_from_another_shows_what_it_was_measured_against",
    ],
    # a reindex that drops the live index first
    "X1": [
        "contract/test_reindex_while_searched.py::"
        "test_no_search_is_empty_half_mixed_or_an_error_while_generations_are_swapped",
    ],
    # complete by its own account, and the swap failed
    "X2": [
        "contract/test_reindex_killed.py::"
        "test_killed_before_the_swap_the_old_one_serves_and_the_rerun_goes_on",
        "contract/test_server_killed.py::"
        "test_a_reindex_whose_server_dies_at_a_step_without_an_answer_finds_out_and_goes_on",
    ],
    # live writes make the check of counts fail for ever
    "X3": [
        "contract/test_reindex_while_searched.py::"
        "test_everything_written_and_deleted_meanwhile_is_so_afterwards",
        "contract/test_generations.py::"
        "test_what_others_wrote_meanwhile_counts_neither_as_missing_nor_as_surplus",
    ],
    # a full staged index counted as empty, and deleted
    "X4": [
        "contract/test_reindex.py::"
        "test_one_table_that_is_refused_keeps_the_old_one_live_and_the_new_one_for_later",
    ],
    # names of columns become fields of the mapping
    "X6": [
        "contract/test_store_elasticsearch.py::"
        "test_columns_and_context_never_become_fields_of_the_mapping",
        "contract/test_table_store.py::"
        "test_five_thousand_columns_and_deeply_nested_names_are_searchable",
    ],
    # a text beyond a keyword's bytes rejects the document
    "X8": ["contract/test_table_store.py::test_values_beyond_every_byte_limit_reject_nothing"],
    # an id over 512 bytes fails the whole request
    "X9": [
        "contract/test_table_store.py::test_an_overlong_id_stops_none_of_the_others_in_its_batch"
    ],
    # the first bad chunk ends the bulk
    "X10": [
        "contract/test_store_elasticsearch.py::"
        "test_tables_the_server_refuses_are_reported_and_later_chunks_are_sent",
    ],
    # a refusal by a busy server is not tried again
    "X11": [
        "unit/test_store_elasticsearch_sending.py::"
        "test_a_write_refused_once_by_a_busy_server_is_sent_again_alone",
    ],
    # an older server, and no word of it
    "X13": [
        "e2e/test_broken_elasticsearch.py::test_an_elasticsearch_8_exits_1_with_both_versions",
    ],
    # a proxy without the product header
    "X14": [
        "e2e/test_broken_elasticsearch.py::test_a_proxy_that_drops_the_product_header_exits_1",
        "contract/test_store_elasticsearch_access.py::"
        "test_a_proxy_that_drops_the_product_header_is_told_in_one_sentence",
    ],
}


@pytest.mark.parametrize("row", REPORTS)
def test_every_report_has_its_tests(row):
    missing = [one for one in REPORTS[row] if not is_a_test(*one.split("::"))]

    assert missing == []


def is_a_test(file, name):
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return any(isinstance(one, ast.FunctionDef) and one.name == name for one in tree.body)
