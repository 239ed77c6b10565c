// Who signs the tokens of the bench. A right token is remembered, so that the algorithm counts once.
export const provider = {
  issuer: 'https://id.example.com/',
  audience: 'https://api.example.com/',
  secret: 'for benchmarks only, and long enough for HS256',
}
