export interface City {
  id: number
  name: string
  country: string
  population: number
  latitude: number
  longitude: number
}

export interface Tables {
  country: { code: string; name: string }
  city: City
}
