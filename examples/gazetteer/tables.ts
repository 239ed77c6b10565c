export interface Country {
  code: string
  name: string
}

export interface City {
  id: number
  name: string
  country: string
  population: number
  latitude: number
  longitude: number
}

export interface Tables {
  country: Country
  city: City
}
