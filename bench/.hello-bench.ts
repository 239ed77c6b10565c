import { startServer } from './http/server-process.ts'
import { sendLoad } from './http/load.ts'
const a = await startServer(new URL('./.hello-ours.ts', import.meta.url), [])
const b = await startServer(new URL('./.hello-hand.ts', import.meta.url), [])
const req = 'GET /hello/ HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n'
const run = async (s: any, n: number) => { const c = await s.cpu(); await sendLoad({ port: s.port, connections: 32, requests: n, request: () => req }); return (await s.cpu() - c) / n }
await run(a, 5000); await run(b, 5000)
const rs: number[] = []
for (let i = 0; i < 15; i++) { let x, y; if (i % 2) { x = await run(a, 10000); y = await run(b, 10000) } else { y = await run(b, 10000); x = await run(a, 10000) } rs.push(x / y); console.log(x.toFixed(1), y.toFixed(1), (x / y).toFixed(3)) }
console.log('median', rs.sort((p, q) => p - q)[7]); a.stop(); b.stop(); process.exit()
