/** A header in which web servers in front name the user whom they have authenticated. */
export interface RemoteUserHeader {
  readonly header: string
  /** Networks and addresses of those servers; `unix` for peers of a unix socket. @default the trusted proxies */
  readonly proxies?: readonly string[]
}

/** Where `REMOTE_USER` comes from: a header, or the environ that whoever calls the door vouches for. */
export type RemoteUserSource = RemoteUserHeader | 'environ'
