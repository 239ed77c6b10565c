// The signer of the bench's tokens. Valid tokens are remembered, so the algorithm counts once.
export const provider = {
  issuer: 'https://id.example.com/',
  audience: 'https://api.example.com/',
  secret: 'for benchmarks only, and long enough for HS256',
}
