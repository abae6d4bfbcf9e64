package api

// LogoutError is the refusal of a logout token, in the form of OAuth 2.0.
type LogoutError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}
