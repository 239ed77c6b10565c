import { MemoryCounters } from '../../../src/policies/throttling/memory-counters.ts'
import { testCounterStore } from '../../contract/counter-store.ts'

testCounterStore('MemoryCounters', () => new MemoryCounters())
