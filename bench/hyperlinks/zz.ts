import { field, serializer } from 'colophon'
import { services, article, rows as lrows } from './world.ts'
import { toJSONText } from '../../src/std/json-text.ts'
const rows = Array.from({length:100},(_, i)=>({id:i,author_id:i*3,name:'Item number '+i+' of the list',price:String(i)+'.50',stock:i%7,created:'2024-01-25T16:00:00Z',text:'A longer text that says something about it, twice. '.repeat(4)}))
const mixed=serializer({url:field.identity('article-detail'),author:field.hyperlink('user-detail',{source:'author_id'}),name:field.text(),price:field.text(),stock:field.integer(),created:field.text(),text:field.text()}) as any
const one=serializer({url:field.identity('article-detail'),name:field.text(),price:field.text(),stock:field.integer(),created:field.text()}) as any
const rq=(await services[1]!.requests(1))[0]!
const V:any={}
for(const [n,z,rr] of [['mixed',mixed,rows],['one url',one,rows],['links',article,lrows]] as any){
V[n+' objects']=()=>toJSONText({results:rr.map((r:any)=>z.represent(r,rq))}); V[n+' text']=()=>{let t='';for(const r of rr)t+=t===''?z.toJSONText(r,rq):','+z.toJSONText(r,rq);return '{"results":['+t+']}'}}
const best:any={};for(let r=0;r<30;r++)for(const k in V){const f=V[k];const a=process.threadCpuUsage();for(let i=0;i<200;i++)Buffer.from(f());const d=process.threadCpuUsage(a);(best[k]??=[]).push((d.user+d.system)/200)}
for(const k in best){const m=best[k].sort((a:any,b:any)=>a-b);console.log(k.padEnd(20),m[0].toFixed(1),m[4].toFixed(1),m[15].toFixed(1))}
