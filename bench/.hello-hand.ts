import { createServer } from 'node:http'
import { tellParent } from './http/server-process.ts'
const s = createServer((req, res) => { const body = JSON.stringify({hello:'world'}); res.writeHead(200, {'Content-Type':'application/json','Content-Length':Buffer.byteLength(body)}); res.end(body) })
s.listen(0, '127.0.0.1', () => tellParent((s.address() as any).port))
