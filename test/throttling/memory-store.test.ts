import { MemoryCounters } from '../../src/throttling/memory-counters.ts'
import { testCounterStore } from '../contract/counter-store.ts'

testCounterStore('MemoryCounters', () => new MemoryCounters())
