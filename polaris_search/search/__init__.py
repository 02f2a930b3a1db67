"""From a query to ranked tables with reasons; knows neither which store answers nor who asks."""
