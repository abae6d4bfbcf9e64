/** The refusals that only an error in this page can cause, all with one text. */
export const badRequests = (text: string) => ({
  bad_identifier: text,
  bad_path: text,
  bad_query: text,
  incomplete_body: text,
  invalid_request: text,
  malformed_body: text,
  malformed_request: text,
  method_not_allowed: text,
  not_json: text,
  bad_idempotency_key: text,
  idempotency_key_reused: text,
});
