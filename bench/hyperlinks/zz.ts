import { article, askAll, rows, useOthers } from './world.ts'
const [a]=await askAll(); if(!process.argv[2]) useOthers(a!.request)
const rq=a!.request, start=a!.start
const hand=({ id, author_id, editor_id, team_id, parent_id }:any)=>'{"url":"' + start + '/articles/' + id + '/","author":"' + start + '/users/' + author_id +
    '/","editor":"' + start + '/users/' + editor_id + '/","team":"' + start + '/teams/' + team_id +
    '/","parent":"' + start + '/articles/' + parent_id + '/"}'
const list=(f:any)=>new Function('f','rows',`return ()=>{let t='[';for(const r of rows){if(t!=='[')t+=',';t+=f(r)}return t+']'}`)(f,rows)
const V:any={hand:list(hand),ours:list((r:any)=>article.toJSONText(r,rq))}
const best:any={}
for(let r=0;r<40;r++)for(const k in V){for(const re of [0,1]){const s=process.threadCpuUsage();for(let i=0;i<200;i++){Buffer.from(V[k]());if(re)await null}const e=process.threadCpuUsage(s);const d=(e.user+e.system)/200;(best[k+re]??=[]).push(d)}}
for(const k in best){const m=best[k].sort((x:any,y:any)=>x-y);console.log(k.padEnd(8),m[0].toFixed(1),m[4].toFixed(1),m[20].toFixed(1))}
